#include "frenzy/training/planning.hpp"

#include <algorithm>

#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/memory_profiler/pack.hpp"
#include "frenzy/planner/compile.hpp"
#include "frenzy/planner/search.hpp"

namespace frenzy::training {
namespace {

std::pair<NodeId, std::string> node_of(const model::ClusterSpec& cluster, DeviceId device) {
  for (const auto& node : cluster.nodes) {
    for (const auto& candidate : node.devices) {
      if (candidate.id == device) return {node.id, node.name};
    }
  }
  return {};
}

std::uint64_t owned_elements(const model::Plan& plan, DeviceId device) {
  std::uint64_t sum = 0;
  for (const auto& pipeline : plan.pipelines) {
    for (const auto& stage : pipeline.stages) {
      for (const auto& member : stage.group) {
        if (member.device != device) continue;
        for (const auto& shard : member.shards) sum += shard.size();
      }
    }
  }
  return sum;
}

model::PlannedJob described(const planner::PlanResult& result, const model::ClusterSpec& cluster) {
  model::PlannedJob out;
  out.plan = result.plan;
  out.predicted_step = result.step;
  for (const auto& share : result.shares) {
    const auto [node, name] = node_of(cluster, share.device);
    out.shares.push_back({.device = share.device,
                          .device_name = share.name,
                          .node = node,
                          .node_name = name,
                          .samples = share.samples,
                          .micro_batch = share.micro_batch,
                          .owned_elements = owned_elements(result.plan, share.device),
                          .why = share.why,
                          .predicted = share.footprint,
                          .program = share.fingerprint});
  }
  for (const auto& left : result.left_out) out.notes.push_back(format("{} is left out: {}", left.name, left.why));
  return out;
}

}  // namespace

Backend cpu_backend() {
  Backend out;
  out.make_kernels = [](const model::ModelSpec& spec, model::Scalar scalar,
                        std::uint32_t threads) -> Result<std::unique_ptr<executor::Kernels>> {
    auto kernels = executor::cpu::make_kernels(spec, scalar, {threads});
    if (kernels == nullptr) {
      return error(Errc::unsupported, "the CPU has no kernels for precision {}", model::name_of(scalar));
    }
    return kernels;
  };
  return out;
}

Result<program::KernelCatalogue> catalogue(const Backend& backend, const model::ModelSpec& model, const model::Recipe& recipe) {
  const auto kernels = backend.make_kernels(model, recipe.precision, 1);
  if (!kernels) return kernels.error();
  program::KernelCatalogue out;
  executor::fill_catalogue(out, **kernels, recipe.sequence, recipe.global_batch, 1);
  return out;
}

Result<model::PlannedJob> plan_job_on(const Backend& backend, const model::JobSpec& job, const model::ClusterSpec& cluster,
                                      const model::Calibration& calibration, Epoch epoch) {
  const auto scratch = catalogue(backend, job.model, job.recipe);
  if (!scratch) return scratch.error();
  const auto result = planner::search({.model = &job.model,
                                       .recipe = &job.recipe,
                                       .cluster = &cluster,
                                       .calibration = &calibration,
                                       .catalogue = &*scratch,
                                       .epoch = epoch});
  if (!result) return result.error();
  return described(*result, cluster);
}

Result<model::PlannedJob> plan_job(const model::JobSpec& job, const model::ClusterSpec& cluster,
                                   const model::Calibration& calibration, Epoch epoch) {
  return plan_job_on(cpu_backend(), job, cluster, calibration, epoch);
}

Result<program::PackedProgram> compile_on(const Backend& backend, const model::Plan& plan, DeviceId device) {
  const auto scratch = catalogue(backend, plan.model, plan.recipe);
  if (!scratch) return scratch.error();
  const auto devices = plan.devices();
  const auto at = std::ranges::find(devices, device);
  if (at == devices.end()) return error(Errc::not_found, "device {} has no part in the plan", device);
  auto program = planner::compile(plan, Rank{static_cast<std::uint32_t>(at - devices.begin())}, *scratch, {});
  if (!program) return program.error();
  return memory_profiler::pack(std::move(*program));
}

Result<program::PackedProgram> compile_for(const model::Plan& plan, DeviceId device) {
  return compile_on(cpu_backend(), plan, device);
}

}  // namespace frenzy::training
