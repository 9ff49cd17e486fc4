// train_job JOB.toml [-o key=value]... --device MEMORY_MiB:SPEED ... [--save DIRECTORY]
// One process trains from a job file on virtual devices: plan, compile, pack, run, save. A test tool:
// what the coordinator and the nodes do together, without them.

#include <cstdio>
#include <cstdlib>
#include <future>

#include "frenzy/base/rng.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/executor/job_runner.hpp"
#include "frenzy/executor/pacer.hpp"
#include "frenzy/executor/ordered_samples.hpp"
#include "frenzy/executor/saving.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "frenzy/planner/search.hpp"

using namespace frenzy;

namespace {

struct Arguments {
  std::string job, save;
  std::vector<std::string> overrides;
  std::vector<std::pair<double, double>> devices;  // MiB, speed
};

[[noreturn]] void fail(const Error& why) {
  std::fprintf(stderr, "train_job: %s\n", why.what.c_str());
  std::exit(why.code == Errc::does_not_fit ? 5 : 1);
}

template <class T>
T must(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

Arguments parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (a == "-o") {
      out.overrides.emplace_back(value);
    } else if (a == "--save") {
      out.save = value;
    } else if (a == "--device") {
      char* rest = nullptr;
      const double memory = std::strtod(value, &rest);
      out.devices.emplace_back(memory, *rest == ':' ? std::strtod(rest + 1, nullptr) : 1.0);
    } else {
      out.job = a;
      continue;
    }
    ++i;
  }
  if (out.devices.empty()) out.devices.emplace_back(2048, 1);
  return out;
}

class Printer final : public executor::JobRunnerEvents {
 public:
  void step_done(const executor::RunnerStep& row) override {
    std::printf("step %llu loss %.4f norm %.3f lr %.2e",
                static_cast<unsigned long long>(row.step.value), row.loss_sum / row.tokens,
                row.gradient_norm, row.learning_rate);
    for (const auto& d : row.devices) {
      std::printf("  [%u] %.0f/%.0f ms", d.rank.value, d.busy.count() * 1e3, d.elapsed.count() * 1e3);
    }
    std::printf("\n");
  }
  void reached(Step) override { end.set_value(Status()); }
  void failed(const Error& why) override { end.set_value(why); }
  std::promise<Status> end;
};

struct Cluster {
  model::ClusterSpec spec;
  model::Calibration calibration;
  std::map<DeviceId, double> slowdown;
};

Cluster make_cluster(const Arguments& arguments, const Clock& clock) {
  Cluster out;
  Rng rng(1);
  auto& node = out.spec.nodes.emplace_back();
  for (const auto& [memory, speed] : arguments.devices) {
    model::DeviceSpec device;
    device.id = DeviceId::random(rng);
    device.name = format("cpu{}", node.devices.size());
    device.memory = device.free = Bytes{static_cast<std::uint64_t>(memory * 1048576)};
    device.slowdown = speed > 0 ? executor::default_slowdown(speed) : 0;
    node.devices.push_back(device);
  }
  const auto kernels = executor::cpu::make_kernels(executor::probe_model(), model::Scalar::fp32, {});
  out.calibration = executor::measure_virtual_devices(*kernels, clock, node.devices, {});
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  const SystemClock clock;
  RealFiles files;
  const auto hashing_owner = crypto::make_content_hashing();
  const auto& hashing = *hashing_owner;
  const auto text = must(files.read_text(arguments.job, 1_MiB));
  const auto job = job_file::resolved(
      must(job_file::parse_job(text, arguments.job, arguments.overrides)), arguments.job);
  const auto cluster = make_cluster(arguments, clock);

  program::KernelCatalogue catalogue;
  const auto kernels = executor::cpu::make_kernels(job.model, job.recipe.precision, {});
  executor::fill_catalogue(catalogue, *kernels, job.recipe.sequence, job.recipe.global_batch, 1);
  const auto plan = must(planner::search({.model = &job.model, .recipe = &job.recipe,
                                          .cluster = &cluster.spec, .calibration = &cluster.calibration,
                                          .catalogue = &catalogue}));
  const auto& source = job.data.sources.at(0).path;
  auto tokens = std::make_unique<executor::data::ByteTokens>(source, must(files.open(source)));
  executor::OrderedSamples samples(
      must(executor::data::Samples::over(std::move(tokens), job.recipe.sequence)), job.recipe);

  executor::LocalExchange hub(static_cast<std::uint32_t>(plan.shares.size()));
  std::vector<executor::RunnerDevice> devices;
  for (std::uint32_t r = 0; r < plan.shares.size(); ++r) {
    const auto& share = plan.shares[r];
    std::printf("device %s: %s; micro-batch %u, state %.0f %%, arena %.1f MiB\n", share.name.c_str(),
                share.why.c_str(), share.micro_batch, 100 * share.state_fraction,
                static_cast<double>(share.arena.value) / 1048576);
    executor::RunnerDevice device;
    device.program = must(planner::assigned_program(plan.plan, {r}, catalogue, {}, share.fingerprint));
    device.name = share.name;
    for (const auto& d : cluster.spec.nodes[0].devices) {
      if (d.id == share.device) device.slowdown = d.slowdown;
    }
    devices.push_back(std::move(device));
  }
  Printer printer;
  executor::JobRunnerParts parts;
  parts.clock = &clock;
  parts.samples = &samples;
  parts.make_kernels = [](const model::ModelSpec& spec, model::Scalar scalar, std::uint32_t threads)
      -> Result<std::unique_ptr<executor::Kernels>> {
    return executor::cpu::make_kernels(spec, scalar, {threads});
  };
  parts.exchange_of = [&](Rank rank) { return hub.join(rank); };
  parts.events = &printer;
  const auto runner = must(executor::JobRunner::create(std::move(devices), parts));
  runner->initialise();
  runner->start({0});
  const auto end = printer.end.get_future().get();
  if (!end) fail(end.error());
  if (arguments.save.empty()) return 0;

  executor::checkpoint::Manifest manifest;
  manifest.step = {job.recipe.steps};
  manifest.samples = job.recipe.steps * job.recipe.global_batch;
  manifest.model = job.model;
  manifest.recipe = executor::checkpoint::recipe_fingerprint(job.recipe);
  for (const auto* state : runner->states()) {
    const auto pieces = must(executor::save_state(*state, files, hashing, arguments.save));
    manifest.pieces.insert(manifest.pieces.end(), pieces.begin(), pieces.end());
  }
  const auto written =
      executor::checkpoint::write_manifest(files, hashing, arguments.save, manifest);
  if (!written) fail(written.error());
  std::printf("saved step %llu in %s\n", static_cast<unsigned long long>(manifest.step.value),
              arguments.save.c_str());
  return 0;
}
