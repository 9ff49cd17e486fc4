#pragma once
// The coordinator's actor. Its parts: membership and nodes (coordinator_nodes.cpp), requests of clients
// (coordinator_requests.cpp), content by digest (coordinator_content.cpp).

#include <map>

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/lifecycle/membership.hpp"
#include "job_actor.hpp"
#include "worker.hpp"

namespace frenzy::actors {

class CoordinatorActor final : public WorkingActor {
 public:
  CoordinatorActor(caf::actor_config& config, CoordinatorParts parts);
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  struct Tick {};
  struct KnownJob {
    model::JobSummary summary;
    caf::actor actor;  ///< while it lives
    std::uint64_t order = 0;
  };

  // Start and jobs
  void recover();
  void begin_job(const codec::SubmitJob& submission, const model::JobSpec& spec, lifecycle::Job job);
  void each_live_job(const lifecycle::JobEvent& event);
  void job_over(JobId job);

  // Nodes
  void incoming(const Incoming& m);
  void node_message(const Incoming& m);
  void membership(const lifecycle::MembershipEvent& event);
  void perform(const lifecycle::effect::WelcomeNode& e);
  void perform(const lifecycle::effect::RefuseNode& e);
  void perform(const lifecycle::effect::DropLink& e);
  void perform(const lifecycle::effect::NodeHealthy& e);
  void perform(const lifecycle::effect::NodeIsGone& e);
  void perform(const lifecycle::effect::CheckHolding& e);
  void perform(const lifecycle::effect::RecordNode& e);
  void heartbeat(const Incoming& m, const codec::Heartbeat& beat);
  void forward(const Incoming& m, JobId job);
  void unnamed_pieces(const Incoming& m, const codec::OfferChunks& pieces);
  caf::response_promise to_node(const ToNode& m);
  /// Runners take only each other's nodes for peers.
  [[nodiscard]] codec::ConnectRunners with_identities(codec::ConnectRunners connect) const;
  caf::response_promise plan(const WantPlan& m);
  void tick();

  // Clients
  void client_message(const Incoming& m);
  void on(const Incoming& m, const codec::Hello&);
  void on(const Incoming& m, const codec::SubmitJob& request);
  void on(const Incoming& m, const codec::ListJobs&);
  void on(const Incoming& m, const codec::ListNodes&);
  void on(const Incoming& m, const codec::ShowJob& request);
  void on(const Incoming& m, const codec::WatchJob& request);
  void on(const Incoming& m, const codec::CancelJob& request);
  void on(const Incoming& m, const codec::RemoveNode& request);
  void on(const Incoming& m, const codec::GetCheckpoint& request);
  void on(const Incoming& m, const codec::OfferChunks& request);
  void on(const Incoming& m, const codec::PutChunk& request);
  void on(const Incoming& m, const codec::GetChunk& request);
  void add_job(const Incoming& m, const codec::SubmitJob& submission, const model::JobSpec& spec);
  void show_ended(const Incoming& m, JobId job);
  void watch_ended(const Incoming& m, JobId job, Step from);
  [[nodiscard]] Result<JobId> resolve(const std::string& text) const;
  /// The same, if this user may do `what` with the job.
  [[nodiscard]] Result<JobId> resolve_own(const Incoming& m, const std::string& text, const std::string& what) const;
  void reply(const Incoming& m, codec::Message message);
  void refuse(const Incoming& m, const Error& why);
  template <class T>
  void answer(const Incoming& m, const Result<T>& result) {
    if (result) return reply(m, *result);
    refuse(m, result.error());
  }

  CoordinatorParts parts_;
  caf::actor storage_, planner_;
  lifecycle::Membership membership_;
  std::map<JobId, KnownJob> jobs_;
  std::map<transport::PeerId, Incoming> hellos_;  ///< of nodes, until they are answered
  std::uint64_t ticks_ = 0;
};

}  // namespace frenzy::actors
