#include "varied_plan.hpp"

#include <algorithm>

#include "frenzy/memory_profiler/admission.hpp"
#include "frenzy/memory_profiler/pack.hpp"
#include "frenzy/planner/compile.hpp"
#include "frenzy/training/planning.hpp"
#include "small_plans.hpp"

namespace frenzy::simulation {
namespace {

constexpr Bytes kReserve = 4_MiB;

Bytes free_of(const model::ClusterSpec& cluster, DeviceId id) {
  for (const auto& node : cluster.nodes) {
    for (const auto& device : node.devices) {
      if (device.id == id) return device.free;
    }
  }
  return {};
}

void change(model::Plan& plan, Rng& rng) {
  auto& stage = plan.pipelines.front().stages.front();
  if (rng.below(3) == 0) stage.sharding = model::Sharding::replicated;
  for (auto& member : stage.group) {
    member.micro_batch = 1 + static_cast<std::uint32_t>(rng.below(member.samples.size()));
    member.shards.clear();
  }
  for (const auto& block : parameter_layout(plan.model)) {
    const auto cuts = testing::random_cuts(rng, block.elements, stage.group.size());
    for (std::size_t r = 0; r < stage.group.size(); ++r) stage.group[r].shards.push_back({cuts[r], cuts[r + 1]});
  }
}

}  // namespace

model::PlannedJob varied(const training::Backend& backend, model::PlannedJob planned, const model::ClusterSpec& cluster, Rng& rng) {
  auto out = planned;
  change(out.plan, rng);
  const auto catalogue = training::catalogue(backend, out.plan.model, out.plan.recipe);
  if (!catalogue) return planned;
  for (std::uint32_t r = 0; r < out.shares.size(); ++r) {
    auto& share = out.shares[r];
    auto program = planner::compile(out.plan, Rank{r}, *catalogue, {});
    if (!program) return planned;
    share.program = fingerprint(*program);
    const memory_profiler::Room room{share.device_name, free_of(cluster, share.device), {}, kReserve};
    const auto packed = memory_profiler::pack(std::move(*program));
    if (!memory_profiler::admit(packed, room)) return planned;
    share.predicted = memory_profiler::whole_footprint(packed, room);
  }
  return out;
}

}  // namespace frenzy::simulation
