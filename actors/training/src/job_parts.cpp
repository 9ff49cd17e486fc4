#include "job_parts.hpp"

#include <algorithm>

#include "frenzy/executor/saving.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "frenzy/planner/compile.hpp"
#include "frenzy/training/chunked_file.hpp"
#include "frenzy/training/planning.hpp"

namespace frenzy::training {
namespace {

Status open_samples(JobParts& parts, const codec::LaunchRunner& launch, Files& files, const ContentHashing& hashing) {
  const auto job = job_file::parse_job(launch.assign.toml, "job.toml");
  if (!job) return job.error();
  if (launch.assign.data.empty() || job->data.sources.empty()) {
    return error(Errc::invalid_argument, "the job came without data");
  }
  parts.save_every = job->checkpoint.every;
  const auto& manifest = launch.assign.data.front();
  parts.content = std::make_unique<content::ContentStore>(files, hashing, launch.chunks_directory);
  auto file = std::make_unique<ChunkedFile>(*parts.content, manifest);
  auto tokens = std::make_unique<executor::data::ByteTokens>(manifest.path, std::move(file));
  auto samples = executor::data::Samples::over(std::move(tokens), launch.assign.plan.recipe.sequence);
  if (!samples) return samples.error();
  parts.samples = std::make_unique<executor::OrderedSamples>(std::move(*samples), launch.assign.plan.recipe);
  return {};
}

Status add_device(JobParts& parts, const codec::LaunchRunner& launch, std::uint32_t rank, const program::KernelCatalogue& catalogue) {
  const auto& expected = launch.assign.devices[rank];
  const auto local = std::ranges::find(launch.node.devices, expected.device, &model::DeviceSpec::id);
  if (local == launch.node.devices.end()) return {};
  auto program = planner::assigned_program(launch.assign.plan, {rank}, catalogue, {}, expected.program);
  if (!program) return at(local->name, program.error());
  parts.arenas.push_back(program->arena);
  parts.ids.push_back(local->id);
  parts.ranks.push_back({rank});
  executor::RunnerDevice device;
  device.program = std::move(*program);
  device.name = local->name;
  device.memory_limit = local->memory;
  device.slowdown = local->slowdown;
  parts.devices.push_back(std::move(device));
  return {};
}

void add_pieces(std::vector<model::SavedPiece>& out, const std::vector<executor::checkpoint::Piece>& pieces, NodeId node) {
  for (const auto& piece : pieces) {
    out.push_back({.block = piece.spec.block, .field = piece.spec.field, .elements = piece.spec.range,
                   .digest = piece.digest, .size = piece.bytes, .node = node});
  }
}

}  // namespace

Result<std::shared_ptr<JobParts>> prepare(const Backend& backend, const codec::LaunchRunner& launch, Files& files,
                                          const ContentHashing& hashing, const std::vector<InjectedFault>& faults) {
  auto parts = std::make_shared<JobParts>();
  if (auto opened = open_samples(*parts, launch, files, hashing); !opened) return opened.error();
  const auto scratch = catalogue(backend, launch.assign.plan.model, launch.assign.plan.recipe);
  if (!scratch) return scratch.error();
  for (std::uint32_t rank = 0; rank < launch.assign.devices.size(); ++rank) {
    if (auto added = add_device(*parts, launch, rank, *scratch); !added) return added.error();
  }
  for (auto& device : parts->devices) device.faults = faults_of(faults, device.name);
  if (parts->devices.empty()) return error(Errc::invalid_argument, "{} has no device in the plan", launch.node.name);
  return parts;
}

Status build(const Backend& backend, JobParts& parts, const codec::LaunchRunner& launch, const Clock& clock, transport::Session& session,
             const executor::ExchangeRoutes& routes, executor::JobRunnerEvents& events) {
  parts.hub = std::make_unique<executor::LocalExchange>(static_cast<std::uint32_t>(launch.assign.devices.size()));
  executor::JobRunnerParts runner;
  runner.clock = &clock;
  runner.samples = parts.samples.get();
  runner.make_kernels = backend.make_kernels;
  runner.make_runtime = backend.make_runtime;
  runner.poison = backend.poison;
  runner.exchange_of = [&](Rank rank) { return executor::join_routes(*parts.hub, session, routes, rank); };
  runner.events = &events;
  runner.copy_every = parts.save_every;
  auto made = executor::JobRunner::create(std::move(parts.devices), runner);
  if (!made) return made.error();
  parts.runner = std::move(*made);
  parts.runner->initialise();
  return {};
}

Result<std::vector<model::SavedPiece>> save(JobParts& parts, const codec::LaunchRunner& launch, Files& files,
                                            const ContentHashing& hashing) {
  std::vector<model::SavedPiece> out;
  for (const auto* state : parts.runner->states()) {
    const auto pieces = executor::save_state(*state, files, hashing, launch.saves_directory);
    if (!pieces) return pieces.error();
    add_pieces(out, *pieces, launch.node.id);
  }
  return out;
}

Result<std::vector<model::SavedPiece>> save(const std::vector<executor::StateCopy>& copies,
                                            const codec::LaunchRunner& launch, Files& files, const ContentHashing& hashing) {
  const auto pieces = executor::save_copies(copies, files, hashing, launch.saves_directory);
  if (!pieces) return pieces.error();
  std::vector<model::SavedPiece> out;
  add_pieces(out, *pieces, launch.node.id);
  return out;
}

}  // namespace frenzy::training
