#include "frenzy/training/training_runner.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "frenzy/base/text.hpp"
#include "frenzy/training/stuck_watch.hpp"
#include "job_parts.hpp"

namespace frenzy::training {

using transport::PeerId;

void PeerBook::peer_up(const transport::PeerInfo& peer) {
  peers_[peer.uuid] = peer;
  if (changed_) changed_(peer.uuid, nullptr);
}

void PeerBook::peer_down(PeerId peer, const Error& why) {
  for (auto it = peers_.begin(); it != peers_.end(); ++it) {
    if (it->second.peer != peer) continue;
    const auto uuid = it->first;
    peers_.erase(it);
    if (changed_) changed_(uuid, &why);
    return;
  }
}

void PeerBook::message(PeerId peer, std::span<const std::byte> bytes) {
  const auto got = codec::decode(bytes);
  if (!got || !std::holds_alternative<codec::Goodbye>(got->message) || !done_) return;
  for (const auto& [uuid, known] : peers_) {
    if (known.peer == peer) return done_(uuid);
  }
}

const transport::PeerInfo* PeerBook::find(const Uuid& uuid) const {
  const auto found = peers_.find(uuid);
  return found == peers_.end() ? nullptr : &found->second;
}

Result<const transport::PeerInfo*> PeerBook::find(const codec::RunnerPeer& peer) const {
  const auto* known = find(peer.runner);
  if (known != nullptr && !peer.identity.empty() && hex(known->public_key) != peer.identity) {
    return error(Errc::refused, "{} calls itself the runner on node {}, but shows another identity", known->remote_address, peer.node);
  }
  return known;
}

namespace {

constexpr auto kPulse = std::chrono::milliseconds{500};
/// A runner that lost a peer tells it this much later: the peer's node knows why, and tells first.
constexpr auto kCauseFirst = std::chrono::seconds{3};

/// Shared with work that is on its way in other threads; only the loop changes it.
class Work final : public executor::JobRunnerEvents, public std::enable_shared_from_this<Work> {
 public:
  Work(TrainingParts  parts, codec::LaunchRunner  launch, runner_host::RunnerSink sink)
      : p_(std::move(parts)), launch_(std::move(launch)), sink_(std::move(sink)) {}

  void begin() {
    p_.peers->on_change([this](const Uuid& uuid, const Error* why) { peer_changed(uuid, why); });
    p_.peers->on_done([this](const Uuid& uuid) { peer_done(uuid); });
    using Prepared = Result<std::shared_ptr<JobParts>>;
    block<Prepared>([](Work& w) { return prepare(w.p_.backend, w.launch_, *w.p_.files, *w.p_.hashing, w.p_.faults); },
                    [](Work& w, Prepared parts) {
                      if (!parts) return w.fail(parts.error());
                      w.job_ = std::move(*parts);
                      w.say(codec::RunnerReady{w.job(), w.epoch(), w.launch_.node.address, w.p_.uuid});
                      w.pulse();
                    });
  }

  /// Nothing is said any more. What runs is stopped and freed where blocking is allowed.
  void shut() {
    sink_ = nullptr;
    p_.peers->on_change(nullptr);
    p_.peers->on_done(nullptr);
    if (job_ && job_->hub) job_->hub->abort(error(Errc::cancelled, "the runner is stopped"));
    for (const auto& peer : connect_.peers) {
      if (const auto* known = p_.peers->find(peer.runner)) p_.session->close(known->peer, "the runner is stopped");
    }
    p_.tasks->post_blocking([keep = shared_from_this(), job = std::move(job_)]() mutable { job.reset(); }, [] {});
  }

  void on(const codec::ConnectRunners& message) {
    connect_ = message;
    for (const auto& peer : others()) {
      if (launch_.node.id < peer.node) {
        p_.session->connect(peer.address, peer.runner, [keep = shared_from_this(), peer](Result<PeerId> got) {
          if (!got) keep->fail(got.error());
        });
      }
    }
    build_if_connected();
  }
  void on(const codec::StartJob&) {
    start_wanted_ = true;
    start_if_built();
  }
  void on(const codec::HoldJob&) {
    say(codec::Held{job(), epoch(), built_ && started_ ? job_->runner->hold() : Step{}});
  }
  void on(const codec::SaveState& message) {
    if (!started_) return say(codec::SaveFailed{job(), epoch(), message.step, error(Errc::conflict, "no step has begun")});
    job_->runner->run_to(message.step);
  }

  // Events of the executor, from stream threads -----------------------------------------------------

  void step_done(const executor::RunnerStep& row) override {
    post([row](Work& w) { w.report(row); });
  }
  void reached(Step step) override {
    post([step](Work& w) { w.save_at(step); });
  }
  void copied(Step step, std::vector<executor::StateCopy> copies) override {
    post([step, copies = std::make_shared<std::vector<executor::StateCopy>>(std::move(copies))](Work& w) { w.write(step, copies); });
  }
  void failed(const Error& why) override {
    post([why](Work& w) { w.fail(why); });
  }

 private:
  [[nodiscard]] JobId job() const { return launch_.assign.job; }
  [[nodiscard]] Epoch epoch() const { return launch_.assign.epoch; }

  void say(codec::Message message) {
    if (sink_) sink_(std::move(message));
  }
  template <class F>
  void post(F work) {
    p_.tasks->post([keep = shared_from_this(), work] { work(*keep); });
  }
  template <class R, class Job, class Then>
  void block(Job work, Then then) {
    auto slot = std::make_shared<std::optional<R>>();
    p_.tasks->post_blocking([keep = shared_from_this(), slot, work] { slot->emplace(work(*keep)); },
                            [keep = shared_from_this(), slot, then] {
                              if (keep->sink_) then(*keep, std::move(**slot));
                            });
  }

  void fail(const Error& why) {
    if (over_) return;
    if (job_ && job_->hub) job_->hub->abort(why);
    const bool lost_a_peer = why.code == Errc::unreachable || why.code == Errc::timed_out;
    if (!lost_a_peer) return end(why);
    p_.tasks->at(p_.tasks->clock().now() + kCauseFirst, [weak = weak_from_this(), why] {
      if (const auto keep = weak.lock()) keep->end(why);
    });
  }

  void end(const Error& why) {
    if (over_) return;
    over_ = true;
    say(codec::RunnerEnded{.job = job(), .epoch = epoch(), .step = step_, .failed = true, .why = why});
  }

  [[nodiscard]] std::vector<codec::RunnerPeer> others() const {
    auto out = connect_.peers;
    std::erase_if(out, [&](const auto& peer) { return peer.node == launch_.node.id; });
    return out;
  }

  void peer_changed(const Uuid& uuid, const Error* why) {
    if (why == nullptr) return build_if_connected();
    const auto all = others();
    const auto lost = std::ranges::find(all, uuid, &codec::RunnerPeer::runner);
    if (lost == all.end()) return;
    // Who stands still needs nobody; a peer leaves only when all stand at the last step.
    if (saving_) return peer_done(uuid);
    fail(error(Errc::unreachable, "the runner on node {} is gone: {}", lost->node, *why));
  }

  void peer_done(const Uuid& uuid) {
    done_.insert(uuid);
    leave_if_all_done();
  }

  /// Others may still read what this runner sends, or wait for it to take what they send.
  void tell_done(Step step) {
    const auto frame = codec::encode({.message = codec::Goodbye{format("step {} is done", step)}});
    for (const auto& peer : others()) {
      const auto* known = p_.peers->find(peer.runner);
      if (known != nullptr && frame) p_.session->send(known->peer, *frame, [](const Status&) {});
    }
  }

  void leave_if_all_done() {
    if (!saved_last_ || over_) return;
    const auto all = others();
    if (!std::ranges::all_of(all, [this](const auto& peer) { return done_.contains(peer.runner); })) return;
    over_ = true;
    say(codec::RunnerEnded{.job = job(), .epoch = epoch(), .step = *saved_last_});
  }

  void build_if_connected() {
    if (building_ || connect_.peers.empty() || !job_) return;
    executor::ExchangeRoutes routes;
    routes.ranks = static_cast<std::uint32_t>(launch_.assign.devices.size());
    for (const auto& peer : others()) {
      const auto known = p_.peers->find(peer);
      if (!known) return fail(known.error());
      if (*known == nullptr) return;
      for (std::uint32_t r = 0; r < routes.ranks; ++r) {
        if (launch_.assign.devices[r].node == peer.node) routes.remote[{r}] = (*known)->peer;
      }
    }
    building_ = true;
    block<Status>(
        [routes](Work& w) { return build(w.p_.backend, *w.job_, w.launch_, w.p_.tasks->clock(), *w.p_.session, routes, w); },
        [](Work& w, const Status& status) {
          if (!status) return w.fail(status.error());
          w.built_ = true;
          w.start_if_built();
        });
  }

  void start_if_built() {
    if (!built_ || !start_wanted_ || started_) return;
    started_ = true;
    job_->runner->start({0});
  }

  void report(const executor::RunnerStep& row) {
    step_ = row.step;
    codec::StepReport out{.job = job(), .epoch = epoch(), .step = row.step, .loss_sum = row.loss_sum,
                          .tokens = static_cast<std::uint64_t>(row.tokens), .norm = row.gradient_norm,
                          .learning_rate = row.learning_rate};
    for (const auto& device : row.devices) {
      const auto at = std::ranges::find(job_->ranks, device.rank) - job_->ranks.begin();
      const auto samples = samples_of(device.rank);
      out.devices.push_back({.device = job_->ids[static_cast<std::size_t>(at)], .compute = device.busy,
                             .samples_per_second = device.busy.count() > 0 ? samples / device.busy.count() : 0,
                             .arena = job_->arenas[static_cast<std::size_t>(at)], .late_instructions = device.late_instructions});
      out.duration = std::max(out.duration, device.elapsed);
    }
    say(out);
  }

  [[nodiscard]] bool last(Step step) const { return step.value >= launch_.assign.plan.recipe.steps; }

  [[nodiscard]] double samples_of(Rank rank) const {
    const auto& group = launch_.assign.plan.pipelines.front().stages.front().group;
    return rank.value < group.size() ? static_cast<double>(group[rank.value].samples.size()) : 0;
  }

  using Pieces = Result<std::vector<model::SavedPiece>>;

  /// A save on the way: the devices step on. Its failure ends nothing.
  void write(Step step, const std::shared_ptr<std::vector<executor::StateCopy>>& copies) {
    writing_ = true;
    block<Pieces>([copies](Work& w) { return save(*copies, w.launch_, *w.p_.files, *w.p_.hashing); },
                  [step](Work& w, Pieces pieces) { w.written(step, std::move(pieces)); });
  }

  void written(Step step, Pieces pieces) {
    writing_ = false;
    if (over_) return;
    job_->runner->saved();
    if (pieces) {
      say(codec::StateSaved{job(), epoch(), step, std::move(*pieces)});
    } else {
      say(codec::SaveFailed{job(), epoch(), step, pieces.error()});
    }
    if (const auto wanted = std::exchange(save_after_, std::nullopt)) save_at(*wanted);
  }

  /// The last save, or that of a cancel; nothing steps any more.
  void save_at(Step step) {
    if (over_) return;
    if (!saving_ && last(step)) tell_done(step);
    saving_ = true;
    if (writing_) {
      save_after_ = step;
      return;
    }
    block<Pieces>([](Work& w) { return save(*w.job_, w.launch_, *w.p_.files, *w.p_.hashing); },
                  [step](Work& w, Pieces pieces) {
                    if (!pieces) return w.say(codec::SaveFailed{w.job(), w.epoch(), step, pieces.error()});
                    w.say(codec::StateSaved{w.job(), w.epoch(), step, std::move(*pieces)});
                    if (!w.last(step)) return;
                    w.saved_last_ = step;
                    w.leave_if_all_done();
                  });
  }

  void beat() {
    const auto doing = started_ ? job_->runner->doing() : std::nullopt;
    // Nothing runs before the start, between steps, in a save and on hold: that moves, too.
    const auto progress = doing && !saving_ ? job_->runner->progress() : ++idle_;
    const bool stuck = watch_.observe(progress, doing && doing->waits, p_.tasks->clock().now());
    codec::Heartbeat out;
    out.runners.push_back({.job = job(), .epoch = epoch(), .step = step_,
                           .instruction = doing ? doing->instruction : InstructionIndex{}, .age = watch_.age()});
    say(std::move(out));
    if (stuck) end(error(Errc::timed_out, "{} has not moved for {}", doing ? doing->text : "nothing", Seconds{watch_.age()}));
  }

  void pulse() {
    if (!sink_) return;
    if (!over_) beat();
    p_.tasks->at(p_.tasks->clock().now() + kPulse, [weak = weak_from_this()] {
      if (const auto keep = weak.lock()) keep->pulse();
    });
  }

  TrainingParts p_;
  codec::LaunchRunner launch_;
  runner_host::RunnerSink sink_;
  std::shared_ptr<JobParts> job_;
  codec::ConnectRunners connect_;
  bool start_wanted_ = false, building_ = false, built_ = false, started_ = false, saving_ = false, over_ = false;
  bool writing_ = false;            ///< a copy
  std::optional<Step> save_after_;  ///< what is to be saved once the copy is written
  std::optional<Step> saved_last_;  ///< the last step, once it is saved
  std::set<Uuid> done_;             ///< peers that have done it, or left
  Step step_;
  std::uint64_t idle_ = UINT64_MAX / 2;  ///< above any progress
  StuckWatch watch_;
};

class TrainingRunner final : public runner_host::Runner {
 public:
  explicit TrainingRunner(std::shared_ptr<Work> work) : work_(std::move(work)) { work_->begin(); }
  ~TrainingRunner() override { work_->shut(); }
  TrainingRunner(const TrainingRunner&) = delete;
  TrainingRunner& operator=(const TrainingRunner&) = delete;
  TrainingRunner(TrainingRunner&&) = delete;
  TrainingRunner& operator=(TrainingRunner&&) = delete;

  void message(const codec::Message& message) override {
    std::visit(
        [this]<class T>(const T& m) {
          if constexpr (requires { work_->on(m); }) work_->on(m);
        },
        message);
  }

 private:
  std::shared_ptr<Work> work_;
};

}  // namespace

std::unique_ptr<runner_host::Runner> make_training_runner(const TrainingParts& parts, const codec::LaunchRunner& launch,
                                                          runner_host::RunnerSink sink) {
  return std::make_unique<TrainingRunner>(std::make_shared<Work>(parts, launch, std::move(sink)));
}

}  // namespace frenzy::training
