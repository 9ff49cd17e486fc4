#pragma once
// A runner on virtual time: ready at once, a step each 10 ms.

#include <map>
#include <span>

#include "frenzy/runner_host/runner_host.hpp"
#include "frenzy/content/content_store.hpp"
#include "simulated_cluster.hpp"
#include "test_hashing.hpp"

namespace frenzy::testing {

/// What the runners of one job share: when it started. In a real job the collectives do this.
using StartTimes = std::map<runner_host::RunnerKey, TimePoint>;

class SimulatedRunner final : public runner_host::Runner {
 public:
  SimulatedRunner(Tasks& tasks, SimulatedCluster& cluster, StartTimes& starts, std::uint64_t steps,
                  content::ContentStore& saves, codec::LaunchRunner task, runner_host::RunnerSink sink)
      : tasks_(tasks), cluster_(cluster), starts_(starts), steps_(steps), saves_(saves), task_(std::move(task)), sink_(std::move(sink)) {
    ++cluster_.runners;
    if (cluster_.faults.never_ready) return;
    after(std::chrono::milliseconds{1}, [this] {
      sink_(codec::RunnerReady{job(), epoch(), task_.node.address, Uuid{}});
      pulse();
    });
  }
  ~SimulatedRunner() override {
    for (const auto timer : timers_) tasks_.cancel(timer);
    --cluster_.runners;
  }

  void message(const codec::Message& message) override {
    if (std::holds_alternative<codec::StartJob>(message)) {
      starts_.try_emplace({job(), epoch()}, tasks_.clock().now());
      after_step(1, [this] { step(1); });
    }
    if (std::holds_alternative<codec::HoldJob>(message)) {
      hold_ = done_ + 1;
      sink_(codec::Held{job(), epoch(), {*hold_}});
    }
    if (const auto* request = std::get_if<codec::SaveState>(&message)) {
      hold_ = request->step.value;
      if (done_ < *hold_) after_step(done_ + 1, [this] { step(done_ + 1); });
      after_step(*hold_ + 1, [this] { save(*hold_); });
    }
  }

 private:
  static constexpr std::chrono::milliseconds kStep{10};
  [[nodiscard]] JobId job() const { return task_.assign.job; }
  [[nodiscard]] Epoch epoch() const { return task_.assign.epoch; }

  void after(std::chrono::nanoseconds delay, Task task) {
    timers_.push_back(tasks_.at(tasks_.clock().now() + delay, std::move(task)));
  }
  void after_step(std::uint64_t step, Task task) {
    timers_.push_back(tasks_.at(starts_.at({job(), epoch()}) + kStep * static_cast<std::int64_t>(step), std::move(task)));
  }

  void pulse() {
    if (frozen_) return;
    codec::Heartbeat beat;
    beat.runners.push_back({.job = job(), .epoch = epoch(), .step = {done_}, .instruction = {7}, .age = Seconds{0.25}});
    sink_(beat);
    after(std::chrono::milliseconds{500}, [this] { pulse(); });
  }

  void step(std::uint64_t number) {
    frozen_ = frozen_ || cluster_.faults.freezes_at_step == number;
    if (frozen_) return;
    if (cluster_.faults.fails_at_step == number) {
      return sink_(codec::RunnerEnded{.job = job(), .epoch = epoch(), .step = {number}, .failed = true,
                                      .why = {Errc::internal, "injected fault"}});
    }
    if (number <= done_) return;
    done_ = number;
    codec::StepReport report{.job = job(), .epoch = epoch(), .step = {number}, .loss_sum = 100.0 / static_cast<double>(number),
                             .tokens = 100, .duration = Seconds{kStep}};
    for (const auto& device : task_.node.devices) report.devices.push_back({.device = device.id, .arena = {1 << 20}});
    sink_(report);
    if (cluster_.faults.save_every > 0 && number < steps_ && number % cluster_.faults.save_every == 0) save_on_the_way(number);
    if (hold_ && number >= *hold_) return;
    if (number < steps_) return after_step(number + 1, [this, number] { step(number + 1); });
    save(number);
    sink_(codec::RunnerEnded{.job = job(), .epoch = epoch(), .step = {number}});
  }

  void save(std::uint64_t number) {
    if (cluster_.faults.saves_never_come) return;
    sink_(codec::StateSaved{job(), epoch(), {number}, {piece(number)}});
  }

  void save_on_the_way(std::uint64_t number) {
    if (number < cluster_.faults.saves_fail_from || number >= cluster_.faults.saves_fail_until) return save(number);
    sink_(codec::SaveFailed{job(), epoch(), {number}, {Errc::io, "no space left: 40 B needed, 3 B free"}});
  }

  /// A real file in the node's store of pieces.
  model::SavedPiece piece(std::uint64_t number) {
    const auto text = format("job {} step {} of {}", job(), number, task_.node.name);
    const auto bytes = std::as_bytes(std::span(text));
    const auto digest = test::TestHashing().digest(bytes);
    const auto written = saves_.put(digest, bytes);
    FRENZY_CHECK(written.ok());
    return {.elements = {0, 10}, .digest = digest, .size = {text.size()}, .node = task_.node.id};
  }

  Tasks& tasks_;
  SimulatedCluster& cluster_;
  StartTimes& starts_;
  std::uint64_t steps_;
  content::ContentStore& saves_;
  codec::LaunchRunner task_;
  runner_host::RunnerSink sink_;
  std::uint64_t done_ = 0;
  bool frozen_ = false;
  std::optional<std::uint64_t> hold_;  ///< starts no step after it
  std::vector<TimerId> timers_;
};

}  // namespace frenzy::testing
