#include "job_actor.hpp"

#include <algorithm>
#include <map>

#include "worker.hpp"

namespace frenzy::actors {
namespace {

namespace event = lifecycle::event;
namespace effect = lifecycle::effect;
using lifecycle::JobEvent;

constexpr auto kNodeAnswer = std::chrono::seconds{30};  ///< of a node to a command; it may compile first
constexpr std::size_t kRowsInFrame = 1024;

class JobActor final : public WorkingActor {
 public:
  JobActor(caf::actor_config& config, JobParts parts, lifecycle::Job job)
      : WorkingActor(config, parts.env, "job"), parts_(std::move(parts)), job_(std::move(job)) {}

  caf::behavior make_behavior() override {
    return {
        [this](const Msg<JobInput>& m) { feed(m->event); },
        [this](const Msg<NodeSaid>& m) { said(m->node, m->message); },
        [this](const Msg<ShowRequest>& m) { show(*m); },
        [this](const Msg<WatchRequest>& m) { watch(*m); },
        [this](const Msg<WatcherGone>& m) {
          std::erase_if(watchers_, [&](const auto& watcher) { return watcher.peer == m->peer; });
        },
        [this](const Msg<Retire>&) {
          retired_ = true;
          quit_if_idle();
        },
    };
  }

  void on_exit() override { parts_.coordinator = parts_.gateway = parts_.storage = nullptr; }

 private:
  [[nodiscard]] JobId id() const { return job_.submission.id; }

  void feed(const JobEvent& happened) {
    auto next = lifecycle::step(std::move(job_), happened, env().wall());
    job_ = std::move(next.job);
    for (const auto& e : next.effects) std::visit([this](const auto& one) { perform(one); }, e);
  }

  void said(NodeId node, const codec::Message& message) {
    if (const auto* m = std::get_if<codec::RunnerReady>(&message)) {
      feed(event::RunnerReady{node, m->epoch, m->address, m->runner});
    } else if (const auto* report = std::get_if<codec::StepReport>(&message)) {
      stepped(node, *report);
    } else if (const auto* held = std::get_if<codec::Held>(&message)) {
      feed(event::RunnerHeld{node, held->epoch, held->step});
    } else if (const auto* saved = std::get_if<codec::StateSaved>(&message)) {
      feed(event::Saved{node, saved->epoch, saved->step, saved->pieces});
    } else if (const auto* failed = std::get_if<codec::SaveFailed>(&message)) {
      feed(event::SaveFailed{node, failed->epoch, failed->why, failed->step});
    } else if (const auto* ended = std::get_if<codec::RunnerEnded>(&message)) {
      feed(event::RunnerEnded{node, ended->epoch, ended->step,
                              ended->failed ? std::optional(ended->why) : std::nullopt});
    }
  }

  void stepped(NodeId node, const codec::StepReport& report) {
    event::StepReported e{node, report.epoch, {}, {}};
    e.row = {.step = report.step,
             .at = env().wall(),
             .loss_sum = report.loss_sum,
             .tokens = report.tokens,
             .norm = report.norm,
             .learning_rate = report.learning_rate,
             .duration = report.duration};
    for (const auto& device : report.devices) e.arenas.emplace_back(device.device, device.arena);
    feed(e);
  }

  // Effects --------------------------------------------------------------------------------------

  void perform(const effect::AskPlanner&) {
    ask<PlanAnswer>(parts_.coordinator, WantPlan{parts_.spec, {job_.epoch.value + 1}}, [this](const PlanAnswer& answer) {
      feed(answer ? *answer : JobEvent(event::MustWait{answer.error().what}));
    });
  }
  void perform(const effect::ReserveDevice& e) {
    const auto epoch = job_.epoch;
    to_node(e.node,
            codec::Reserve{.job = id(), .epoch = epoch, .incarnation = parts_.incarnation, .device = e.device,
                           .bytes = e.bytes,
                           .time_to_live = std::chrono::milliseconds{lifecycle::kReservationTime}},
            [this, epoch, device = e.device](const Answer& answer) {
              const auto got = expect<codec::Reserved>(answer);
              if (got) return feed(event::DeviceReserved{device, epoch});
              feed(event::DeviceRefused{device, epoch, got.error()});
            });
  }
  void perform(const effect::ReleaseNode& e) { tell_node(e.node, codec::Release{id(), job_.epoch}); }
  void perform(const effect::AssignNode& e) {
    codec::AssignPlan assign{.job = id(), .epoch = job_.epoch, .incarnation = parts_.incarnation,
                             .plan = job_.planned.plan, .toml = job_.submission.toml,
                             .data = job_.submission.data};
    for (const auto& share : job_.planned.shares) {
      assign.devices.push_back({.device = share.device, .node = share.node, .program = share.program, .arena = share.arena()});
    }
    command(e.node, std::move(assign));
  }
  void perform(const effect::StartNode& e) {
    codec::ConnectRunners connect{.job = id(), .epoch = job_.epoch};
    for (const auto& node : job_.nodes) connect.peers.push_back({node.node, node.address, node.runner});
    tell_node(e.node, std::move(connect));
    command(e.node, codec::StartJob{id(), job_.epoch, parts_.incarnation});
  }
  void perform(const effect::AbortNode& e) { tell_node(e.node, codec::AbortJob{id(), job_.epoch, e.reason}); }
  void perform(const effect::HoldNode& e) { command(e.node, codec::HoldJob{id(), job_.epoch}); }
  void perform(const effect::SaveNode& e) {
    const auto epoch = job_.epoch;
    to_node(e.node, codec::SaveState{id(), epoch, e.step}, [this, node = e.node, epoch](const Answer& answer) {
      if (const auto got = expect<codec::Accepted>(answer); !got) feed(event::SaveFailed{node, epoch, got.error()});
    });
  }
  void perform(const effect::SetTimer& e) { remind(e.after, JobInput{event::TimerFired{e.timer, job_.epoch}}); }
  void perform(const effect::RefuseEvent& e) { log().debug("job.refused", "job={} {}", id(), e.why); }
  void perform(const effect::RecordState& e) {
    log().info("job.state", "job={} state={} {}", id(), model::name_of(e.change.state), e.change.reason);
    auto detail = lifecycle::detail(job_, {});
    work<Status>(parts_.storage, [store = parts_.store, detail, change = e.change] { return store->record_state(detail, change); },
                 [this, change = e.change, now = detail.summary](const Status& status) { recorded(status, now, {change}, {}); });
  }
  void perform(const effect::RecordStep& e) {
    work<Status>(parts_.storage, [store = parts_.store, job = id(), row = e.row] { return store->record_step(job, row); },
                 [this, row = e.row, now = lifecycle::summary(job_)](const Status& status) { recorded(status, now, {}, {row}); });
  }
  void perform(const effect::RecordSave& e) {
    const store::StoredSave save{e.step, e.pieces};
    using Dropped = Result<std::vector<model::SavedPiece>>;
    work<Dropped>(parts_.storage,
                  [store = parts_.store, job = id(), save, keep = parts_.spec.checkpoint.keep] { return store->record_save(job, save, keep); },
                  [this](const Dropped& dropped) {
                    if (!dropped) return complain(dropped.error());
                    drop_pieces(*dropped);
                  });
  }

  /// Tells each node which of its pieces no save names any more. One that is away asks when it is back.
  void drop_pieces(const std::vector<model::SavedPiece>& pieces) {
    std::map<NodeId, codec::DropPieces> by_node;
    for (const auto& piece : pieces) {
      auto& drop = by_node[piece.node];
      drop.job = id();
      if (drop.digests.size() < codec::kMaxChunks) drop.digests.push_back(piece.digest);
    }
    for (const auto& [node, drop] : by_node) tell_node(node, drop);
  }

  // Nodes ----------------------------------------------------------------------------------------

  template <class Then>
  void to_node(NodeId node, codec::Message message, Then then) {
    ask<Answer>(parts_.coordinator, ToNode{node, std::move(message), kNodeAnswer}, then);
  }
  void tell_node(NodeId node, codec::Message message) {
    send_to(parts_.coordinator, ToNode{node, std::move(message), {}});
  }
  /// A command that the node may refuse: then its part of the job has failed.
  void command(NodeId node, codec::Message message) {
    const auto epoch = job_.epoch;
    to_node(node, std::move(message), [this, node, epoch](const Answer& answer) {
      const auto got = expect<codec::Accepted>(answer);
      if (!got) feed(event::RunnerEnded{node, epoch, job_.step, got.error()});
    });
  }

  // Watchers -------------------------------------------------------------------------------------

  struct Watcher {
    transport::PeerId peer;
    std::uint64_t correlation = 0;
  };

  void complain(const Status& status) {
    if (!status) log().error("job.store", "job={} {}", id(), status.error());
  }

  /// What was recorded is told: to the coordinator's list and to watchers.
  void recorded(const Status& status, const model::JobSummary& summary, const std::vector<model::StateChange>& changes,
                const std::vector<model::StepRow>& rows) {
    complain(status);
    send_to(parts_.coordinator, JobChanged{summary});
    const bool last = model::is_terminal(summary.state);
    for (const auto& watcher : watchers_) {
      send_to(parts_.gateway, Reply{watcher.peer, watcher.correlation,
                                    codec::JobUpdate{.summary = summary, .changes = changes, .rows = rows, .last = last}});
    }
    if (!last) return;
    over_ = true;
    watchers_.clear();
    for (const auto& node : job_.nodes) tell_node(node.node, codec::ForgetJob{id()});
    send_to(parts_.coordinator, JobOver{id()});
  }

  void quit_if_idle() {
    if (retired_ && reading_ == 0) quit();
  }

  void show(const ShowRequest& m) {
    ++reading_;
    work<Result<store::StoredJob>>(
        parts_.storage, [store = parts_.store, job = id()] { return store->job(job); },
        [this, m](const Result<store::StoredJob>& stored) {
          auto history = stored ? stored->detail.history : std::vector<model::StateChange>{};
          send_to(parts_.gateway, Reply{m.peer, m.correlation, codec::JobDetail{lifecycle::detail(job_, std::move(history))}});
          --reading_;
          quit_if_idle();
        });
  }

  /// The worker answers in order: what is recorded after this read reaches the new watcher as news.
  void watch(const WatchRequest& m) {
    ++reading_;
    using Rows = Result<std::pair<std::vector<model::StateChange>, std::vector<model::StepRow>>>;
    work<Rows>(
        parts_.storage,
        [store = parts_.store, job = id(), from = m.from]() -> Rows {
          auto stored = store->job(job);
          if (!stored) return stored.error();
          auto rows = store->steps(job, from, SIZE_MAX >> 1);
          if (!rows) return rows.error();
          return std::pair(std::move(stored->detail.history), std::move(*rows));
        },
        [this, m](const Rows& read) {
          begin_watch(m, read);
          --reading_;
          quit_if_idle();
        });
  }

  template <class Rows>
  void begin_watch(const WatchRequest& m, const Rows& read) {
    if (!read) return send_to(parts_.gateway, Reply{m.peer, m.correlation, codec::Refused{read.error()}});
    for (auto& part : history_parts(lifecycle::summary(job_), read->first, read->second)) {
      part.last = part.last && (over_ || !m.follow);
      send_to(parts_.gateway, Reply{m.peer, m.correlation, part});
    }
    if (m.follow && !over_) watchers_.push_back({m.peer, m.correlation});
  }

  JobParts parts_;
  lifecycle::Job job_;
  std::vector<Watcher> watchers_;
  int reading_ = 0;       ///< reads of the store for clients that are on their way
  bool over_ = false;     ///< the end is recorded and told
  bool retired_ = false;  ///< the coordinator sends no more requests
};

}  // namespace

std::vector<codec::JobUpdate> history_parts(const model::JobSummary& summary, std::vector<model::StateChange> changes,
                                            const std::vector<model::StepRow>& rows) {
  if (changes.size() > codec::kMaxName) changes.erase(changes.begin(), changes.end() - codec::kMaxName);
  std::vector<codec::JobUpdate> parts{{.summary = summary, .changes = std::move(changes)}};
  for (std::size_t at = 0; at < rows.size(); at += kRowsInFrame) {
    if (at > 0) parts.push_back({.summary = summary});
    const auto end = std::min(rows.size(), at + kRowsInFrame);
    parts.back().rows.assign(rows.begin() + static_cast<std::ptrdiff_t>(at), rows.begin() + static_cast<std::ptrdiff_t>(end));
  }
  parts.back().last = true;
  return parts;
}

caf::actor spawn_job(caf::actor_system& system, JobParts parts, lifecycle::Job job) {
  return system.spawn<JobActor>(std::move(parts), std::move(job));
}

}  // namespace frenzy::actors
