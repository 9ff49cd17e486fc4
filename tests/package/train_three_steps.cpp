// Trains three steps of a tiny model on two virtual devices in this process: plan, compile, run.

#include <cstdio>
#include <future>

#include "frenzy/base/rng.hpp"
#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/executor/job_runner.hpp"
#include "frenzy/planner/search.hpp"

using namespace frenzy;

namespace {

/// One sentence over and over, so that there is something to learn.
class Sentence final : public executor::Samples {
 public:
  [[nodiscard]] Status fill(Step, model::SampleRange numbers, std::uint32_t sequence,
                            std::span<std::int32_t> tokens, std::span<std::int32_t> targets) override {
    static constexpr std::string_view kText = "the quick brown fox jumps over the lazy dog. ";
    for (std::size_t i = 0; i < std::size_t{numbers.size()} * sequence; ++i) {
      tokens[i] = kText[i % kText.size()];
      targets[i] = kText[(i + 1) % kText.size()];
    }
    return {};
  }
};

class Losses final : public executor::JobRunnerEvents {
 public:
  void step_done(const executor::RunnerStep& row) override { values.push_back(row.loss_sum / row.tokens); }
  void reached(Step) override { end.set_value(Status()); }
  void failed(const Error& why) override { end.set_value(why); }
  std::vector<double> values;
  std::promise<Status> end;
};

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().what.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  const auto spec = must(model::validated(
      {.layers = 2, .hidden = 32, .heads = 2, .ffn = 0, .positions = 32, .vocabulary = 256}));
  model::Recipe recipe;
  recipe.steps = 3;
  recipe.global_batch = 6;
  recipe.sequence = 32;
  recipe.learning_rate = 1e-2;

  const SystemClock clock;
  Rng rng(1);
  model::ClusterSpec cluster;
  model::Calibration calibration;
  auto& node = cluster.nodes.emplace_back();
  const auto probe = executor::cpu::make_kernels(executor::probe_model(), model::Scalar::fp32, {});
  for (int i = 0; i < 2; ++i) {
    model::DeviceSpec device{.id = DeviceId::random(rng), .name = "cpu" + std::to_string(i),
                             .memory = 64_MiB, .free = 64_MiB};
    calibration.devices[device.id] = executor::measure_device(*probe, clock, {});
    node.devices.push_back(device);
  }
  program::KernelCatalogue catalogue;
  const auto kernels = executor::cpu::make_kernels(spec, recipe.precision, {});
  executor::fill_catalogue(catalogue, *kernels, recipe.sequence, recipe.global_batch, 1);
  const auto plan = must(planner::search({.model = &spec, .recipe = &recipe, .cluster = &cluster,
                                          .calibration = &calibration, .catalogue = &catalogue}));
  std::vector<executor::RunnerDevice> devices;
  for (std::uint32_t r = 0; r < plan.shares.size(); ++r) {
    executor::RunnerDevice device;
    device.program = must(planner::assigned_program(plan.plan, {r}, catalogue, {}, plan.shares[r].fingerprint));
    device.name = plan.shares[r].name;
    devices.push_back(std::move(device));
  }
  Sentence samples;
  Losses losses;
  executor::LocalExchange hub(static_cast<std::uint32_t>(devices.size()));
  executor::JobRunnerParts parts;
  parts.clock = &clock;
  parts.samples = &samples;
  parts.make_kernels = [](const model::ModelSpec& model, model::Scalar scalar, std::uint32_t threads)
      -> Result<std::unique_ptr<executor::Kernels>> {
    return executor::cpu::make_kernels(model, scalar, {threads});
  };
  parts.exchange_of = [&](Rank rank) { return hub.join(rank); };
  parts.events = &losses;
  const auto runner = must(executor::JobRunner::create(std::move(devices), parts));
  runner->initialise();
  runner->start({0});
  const auto end = losses.end.get_future().get();
  if (!end) {
    std::fprintf(stderr, "%s\n", end.error().what.c_str());
    return 1;
  }
  for (const double loss : losses.values) std::printf("loss %.4f\n", loss);
  const bool learned = losses.values.size() == 3 && losses.values[2] < losses.values[0];
  std::printf("package: %s\n", learned ? "ok" : "did not learn");
  return learned ? 0 : 1;
}
