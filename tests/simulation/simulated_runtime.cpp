#include "simulated_runtime.hpp"

#include "frenzy/base/rng.hpp"
#include "frenzy/executor/host_runtime.hpp"

namespace frenzy::simulation {
namespace {

using std::chrono::nanoseconds;

/// One stream: starts each task after a seeded delay. What is queued when it goes never runs.
class Stream final : public Tasks {
 public:
  Stream(Tasks& tasks, std::uint64_t seed, nanoseconds spread) : tasks_(tasks), rng_(seed), spread_(spread) {}
  ~Stream() override { *alive_ = false; }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) = delete;
  Stream& operator=(Stream&&) = delete;

  void post(Task task) override {
    // Tasks of one stream keep their order.
    last_ = std::max(last_, clock().now() + nanoseconds(rng_.below(static_cast<std::uint64_t>(spread_.count()) + 1)));
    at(last_, std::move(task));
  }
  void post_blocking(Task work, Task done) override {
    post([work = std::move(work), done = std::move(done)] {
      work();
      done();
    });
  }
  TimerId at(TimePoint when, Task task) override {
    return tasks_.at(when, [alive = alive_, task = std::move(task)] {
      if (*alive) task();
    });
  }
  void cancel(TimerId timer) override { tasks_.cancel(timer); }
  [[nodiscard]] const Clock& clock() const override { return tasks_.clock(); }

 private:
  Tasks& tasks_;
  Rng rng_;
  nanoseconds spread_;
  TimePoint last_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

constexpr nanoseconds kSpread{40'000};
constexpr std::uint64_t kLeastCost = 20'000, kMostCost = 120'000;  // nanoseconds at slowdown 1

class SimulatedRuntime final : public executor::DeviceRuntime {
 public:
  SimulatedRuntime(const DeviceSetting& setting, const executor::RuntimeParts& parts, std::uint64_t seed)
      : watch_(*setting.watch), device_(setting.devices.at(parts.program->program.rank.value)), job_(setting.job),
        rng_(seed), compute_(*setting.tasks, seed + 1, nanoseconds{0}), collective_(*setting.tasks, seed + 2, kSpread),
        copy_in_(*setting.tasks, seed + 3, kSpread),
        runtime_({.device = parts, .compute = &compute_, .collective = &collective_, .copy_in = &copy_in_,
                  .cost = [this](const program::Instruction&) { return nanoseconds(kLeastCost + rng_.below(kMostCost)); }}) {
    watch_.enter(device_, job_, parts.program->arena + setting.reserve);
  }
  ~SimulatedRuntime() override { watch_.leave(device_, job_); }
  SimulatedRuntime(const SimulatedRuntime&) = delete;
  SimulatedRuntime& operator=(const SimulatedRuntime&) = delete;
  SimulatedRuntime(SimulatedRuntime&&) = delete;
  SimulatedRuntime& operator=(SimulatedRuntime&&) = delete;

  void start(InstructionIndex index, const executor::StepContext& context, executor::InstructionDone done) override {
    runtime_.start(index, context, std::move(done));
  }
  [[nodiscard]] const executor::StepMeasure& measure() const override { return runtime_.measure(); }
  [[nodiscard]] executor::Occupancy occupancy() const override { return runtime_.occupancy(); }

 private:
  DeviceWatch& watch_;
  DeviceId device_;
  JobId job_;
  Rng rng_;
  Stream compute_, collective_, copy_in_;
  executor::HostRuntime runtime_;
};

}  // namespace

std::unique_ptr<executor::DeviceRuntime> make_simulated_runtime(const DeviceSetting& setting,
                                                                const executor::RuntimeParts& parts) {
  const auto seed = counter_random(setting.seed, parts.program->program.rank.value);
  return std::make_unique<SimulatedRuntime>(setting, parts, seed);
}

}  // namespace frenzy::simulation
