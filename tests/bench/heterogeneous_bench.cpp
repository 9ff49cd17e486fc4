// Does a group of unlike devices train as fast as all of them together should? Three virtual devices with
// speeds 4:2:1 train one GPT-2 (6 layers x 384, T 256, bytes, global batch 28): each alone on the same
// step, all three with the planner's split by measured speed, all three with an even split; interleaved
// rounds, medians. efficiency = step rate / sum of the devices' own rates. More than 2 % late
// instructions: the machine was too busy to play these devices, and the measurement is void.
// Usage: bench_heterogeneous_dp [rounds] [slowdown of the fastest device]

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>

#include "frenzy/base/check.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/executor/job_runner.hpp"
#include "frenzy/planner/search.hpp"

using namespace frenzy;

namespace {

constexpr std::array<double, 3> kSpeeds{4, 2, 1};
/// Slowdown of the fastest: the three need 0.7 cores then, well under 0.75 of two.
constexpr double kFastest = 2.5;

model::ModelSpec bench_model() {
  return *model::validated(
      {.layers = 6, .hidden = 384, .heads = 6, .ffn = 0, .positions = 256, .vocabulary = 256});
}

model::Recipe bench_recipe() {
  model::Recipe recipe;
  recipe.steps = 1000;
  recipe.global_batch = 28;
  recipe.sequence = 256;
  recipe.learning_rate = 3e-4;
  recipe.warmup = 10;
  return recipe;
}

/// Tokens made from step, sample and position.
class MadeSamples final : public executor::Samples {
 public:
  [[nodiscard]] Status fill(Step step, model::SampleRange numbers, std::uint32_t sequence,
                            std::span<std::int32_t> tokens, std::span<std::int32_t> targets) override {
    std::size_t at = 0;
    for (auto sample = numbers.begin; sample < numbers.end; ++sample) {
      for (std::uint32_t t = 0; t < sequence; ++t, ++at) {
        tokens[at] = token(step, sample, t);
        targets[at] = token(step, sample, t + 1);
      }
    }
    return {};
  }

 private:
  static std::int32_t token(Step step, std::uint32_t sample, std::uint32_t t) {
    return static_cast<std::int32_t>(counter_random(step.value * 4096 + sample, t) % 256);
  }
};

struct Bench {
  explicit Bench(double fastest) {
    Rng rng(1);
    for (const double speed : kSpeeds) {
      model::DeviceSpec device;
      device.id = DeviceId::random(rng);
      device.name = format("x{}", static_cast<int>(speed));
      device.memory = device.free = 640_MiB;
      device.slowdown = fastest * kSpeeds[0] / speed;
      devices.push_back(device);
    }
    const auto probe = executor::cpu::make_kernels(executor::probe_model(), model::Scalar::fp32, {});
    calibration = executor::measure_virtual_devices(*probe, clock, devices, {.budget = std::chrono::milliseconds{1000}});
    const auto kernels = executor::cpu::make_kernels(spec, model::Scalar::fp32, {});
    executor::fill_catalogue(catalogue, *kernels, recipe.sequence, recipe.global_batch, 1);
  }
  SystemClock clock;
  model::ModelSpec spec = bench_model();
  model::Recipe recipe = bench_recipe();
  std::vector<model::DeviceSpec> devices;
  model::Calibration calibration;
  program::KernelCatalogue catalogue;
  MadeSamples samples;
};

/// Some devices as one group, stepped one step at a time.
class Group final : public executor::JobRunnerEvents {
 public:
  Group(Bench& bench, const char* name, std::vector<model::DeviceSpec> members, const model::Calibration& speeds)
      : name_(name), hub_(static_cast<std::uint32_t>(members.size())) {
    model::ClusterSpec cluster;
    cluster.nodes.emplace_back().devices = members;
    const auto plan = planner::search({.model = &bench.spec, .recipe = &bench.recipe, .cluster = &cluster,
                                       .calibration = &speeds, .catalogue = &bench.catalogue});
    FRENZY_CHECK(plan.ok() && plan->shares.size() == members.size());
    std::vector<executor::RunnerDevice> devices;
    for (std::uint32_t r = 0; r < members.size(); ++r) {
      const auto& share = plan->shares[r];
      std::printf("%-6s device %s: %2u samples, micro-batch %u, state %2.0f %%\n", name, share.name.c_str(),
                  share.samples, share.micro_batch, 100 * share.state_fraction);
      executor::RunnerDevice device;
      auto program = planner::assigned_program(plan->plan, {r}, bench.catalogue, {}, share.fingerprint);
      FRENZY_CHECK(program.ok());
      device.program = std::move(*program);
      device.name = share.name;
      device.slowdown = members[r].slowdown;
      devices.push_back(std::move(device));
    }
    executor::JobRunnerParts parts;
    parts.clock = &bench.clock;
    parts.samples = &bench.samples;
    parts.make_kernels = [](const model::ModelSpec& spec, model::Scalar scalar, std::uint32_t threads)
        -> Result<std::unique_ptr<executor::Kernels>> {
      return executor::cpu::make_kernels(spec, scalar, {threads});
    };
    parts.exchange_of = [this](Rank rank) { return hub_.join(rank); };
    parts.events = this;
    runner_ = *executor::JobRunner::create(std::move(devices), parts);
    runner_->initialise();
  }

  void step_done(const executor::RunnerStep& row) override {
    late_ = instructions_ = 0;
    for (const auto& device : row.devices) {
      late_ += device.late_instructions;
      instructions_ += device.instructions;
    }
  }
  void reached(Step) override { reached_.back().set_value(); }
  void failed(const Error& why) override {
    std::fprintf(stderr, "%s\n", why.what.c_str());
    std::abort();
  }

  /// Seconds of one step, over `steps` of them.
  double run(std::uint64_t steps) {
    reached_.emplace_back();
    at_ += steps;
    const auto start = clock_.now();
    runner_->run_to({at_});
    reached_.back().get_future().wait();
    const double seconds = std::chrono::duration<double>(clock_.now() - start).count() / static_cast<double>(steps);
    std::printf("%-6s %.3f s a step\n", name_, seconds);
    std::fflush(stdout);
    return seconds;
  }
  void measure(std::uint64_t steps) { seconds_.push_back(run(steps)); }
  [[nodiscard]] double rate() const {
    auto sorted = seconds_;
    std::ranges::sort(sorted);
    return 1.0 / sorted[sorted.size() / 2];
  }
  [[nodiscard]] std::uint64_t late() const { return late_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }

 private:
  const char* name_;
  SystemClock clock_;
  executor::LocalExchange hub_;
  std::unique_ptr<executor::JobRunner> runner_;
  std::deque<std::promise<void>> reached_;  // one a run; kept, because its setter may still be inside
  std::uint64_t at_ = 0, late_ = 0, instructions_ = 0;
  std::vector<double> seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  const double fastest = argc > 2 ? std::strtod(argv[2], nullptr) : kFastest;
  Bench bench(fastest);
  auto even_speeds = bench.calibration;
  for (auto& [id, cost] : even_speeds.devices) cost = bench.calibration.devices[bench.devices[0].id];

  std::vector<std::unique_ptr<Group>> groups;
  for (const auto& device : bench.devices) {
    groups.push_back(std::make_unique<Group>(bench, "alone", std::vector{device}, bench.calibration));
  }
  groups.push_back(std::make_unique<Group>(bench, "speed", bench.devices, bench.calibration));
  groups.push_back(std::make_unique<Group>(bench, "even", bench.devices, even_speeds));
  for (std::size_t i = kSpeeds.size(); i < groups.size(); ++i) groups[i]->run(1);  // touches all memory
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i]->measure(i == kSpeeds.size() ? 2 : 1);
  }

  double own = 0, late = 0, instructions = 0;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) own += groups[i]->rate();
  for (const auto& group : groups) {
    late += static_cast<double>(group->late());
    instructions += static_cast<double>(group->instructions());
  }
  const double late_share = late / instructions;
  if (late_share > 0.02) std::printf("void: %.1f %% of the instructions were late\n", 100 * late_share);
  std::printf("heterogeneous_dp efficiency=%.3f even_split=%.3f steps_per_s=%.3f own_rates_sum=%.3f cores_needed=%.2f "
              "late_fraction=%.4f valid=%d\n",
              groups[3]->rate() / own, groups[4]->rate() / own, groups[3]->rate(), own,
              (1 + 0.5 + 0.25) / fastest, late_share, late_share > 0.02 ? 0 : 1);
}
