#pragma once
// The node's actor. Its parts: joining (node.cpp), jobs (node_jobs.cpp), data (node_data.cpp).

#include <deque>
#include <map>
#include <set>

#include "device_actor.hpp"
#include "frenzy/actors/gateway.hpp"
#include "worker.hpp"

namespace frenzy::actors {

class NodeActor final : public WorkingActor {
 public:
  NodeActor(caf::actor_config& config, NodeParts parts);
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  using Key = runner_host::RunnerKey;
  struct Beat {};
  struct TryConnect {};
  struct Measured { Result<codec::CalibrationReport> report; };
  struct RunnerSaid { Key key; codec::Message message; };
  struct Told { JobId job; TimePoint at; };
  struct Part {
    codec::LaunchRunner task;
    bool runner_started = false;
    bool ending = false;  ///< killed: its end is on the way
    codec::RunnerPulse pulse;
    std::optional<TimePoint> heard;  ///< when its runner last spoke, once it is ready
    std::optional<Error> killed;     ///< why this node killed it
    std::set<ContentDigest> saved;  ///< pieces that its runner told of
    std::deque<ContentDigest> missing;  ///< chunks to ask for
    std::size_t fetching = 0;
  };

  // Joining
  void calibrate();
  void connect();
  void connected(const Connected& result);
  void hello();
  void welcomed(const Result<codec::Welcome>& welcome);
  void retry(const Error& why);
  void lost(const Error& why);
  void beat();
  void watch_runners();
  void send_beat();
  void leave(const std::string& why);
  [[nodiscard]] std::vector<codec::Holding> holdings() const;

  // Messages
  void incoming(const Incoming& m);
  void on(const Incoming& m, const codec::Reserve& request);
  void on(const Incoming& m, const codec::Release& request);
  void on(const Incoming& m, const codec::AssignPlan& request);
  void on(const Incoming& m, const codec::ConnectRunners& r) { pass(m, {r.job, r.epoch}); }
  void on(const Incoming& m, const codec::HoldJob& r) { pass(m, {r.job, r.epoch}); }
  void on(const Incoming& m, const codec::SaveState& r) { pass(m, {r.job, r.epoch}); }
  void on(const Incoming& m, const codec::StartJob& request);
  void on(const Incoming& m, const codec::AbortJob& request);
  void on(const Incoming& m, const codec::GetChunk& request);
  void on(const Incoming& m, const codec::DropPieces& request);
  void on(const Incoming& m, const codec::ForgetJob& request);
  void reply(const Incoming& m, codec::Message message);
  void refuse(const Incoming& m, const Error& why) { reply(m, codec::Refused{why}); }
  void tell(codec::Message message);
  [[nodiscard]] Status check(Incarnation incarnation) const;

  // Jobs
  void admitted(const Incoming& m, const codec::AssignPlan& assign, const Status& status);
  void start_runner(const Key& key);
  void runner_said(const Key& key, const codec::Message& message);
  void runner_ended(const Key& key, codec::RunnerEnded ended);
  void pass(const Incoming& m, const Key& key);  ///< to the runner
  void abort(const Key& key);
  void release(const Key& key);
  [[nodiscard]] std::vector<DeviceId> own_devices(const codec::AssignPlan& assign) const;
  /// Asks devices one after the other until one says no; `then` gets that, or all is well.
  template <class Make>
  void ask_all(std::vector<DeviceId> devices, Make make, std::function<void(const Status&)> then);
  void on_loop(std::function<void()> task) { env().tasks->post(std::move(task)); }

  // Data
  void fetch_data(const Key& key);
  void fetch_more(const Key& key);
  void fetched(const Key& key, const codec::GetChunk& asked, const Result<codec::Chunk>& chunk);
  void fail_part(const Key& key, const Error& why);

  // Pieces of saves
  void saved(const Key& key, const codec::StateSaved& saved);
  void sweep();
  void offer(std::vector<ContentDigest> pieces);
  void remove_pieces(std::vector<ContentDigest> pieces);

  NodeParts parts_;
  caf::actor storage_, compiler_;
  std::map<DeviceId, caf::actor> devices_;
  std::map<DeviceId, LedgerChanged> ledgers_;
  std::map<Key, Part> jobs_;
  std::optional<transport::PeerId> coordinator_;  ///< while connected
  std::optional<codec::CalibrationReport> report_;
  Incarnation incarnation_;
  bool welcomed_ = false;
  bool leaving_ = false;
  std::uint64_t beats_ = 0;
  TimePoint last_beat_{};
  std::map<ContentDigest, Told> told_;  ///< pieces that this node told of
  bool sweeping_ = false;
};

template <class Make>
void NodeActor::ask_all(std::vector<DeviceId> devices, Make make, std::function<void(const Status&)> then) {
  if (devices.empty()) return then({});
  const auto device = devices.back();
  devices.pop_back();
  ask<Status>(devices_.at(device), make(device), [this, devices = std::move(devices), make, then](const Status& status) {
    if (!status) return then(status);
    ask_all(devices, make, then);
  });
}

}  // namespace frenzy::actors
