#include "frenzy/model/plan.hpp"

#include <algorithm>
#include <set>

namespace frenzy::model {
namespace {

class Checker {
 public:
  explicit Checker(const Plan& plan) : plan_(plan), layout_(parameter_layout(plan.model)) {}

  std::vector<std::string> run() {
    if (plan_.pipelines.empty()) say("the plan has no pipeline");
    for (std::size_t p = 0; p < plan_.pipelines.size(); ++p) {
      const auto& stages = plan_.pipelines[p].stages;
      check_cover(p, stages);
      for (std::size_t s = 0; s < stages.size(); ++s) check_stage(p, s, stages[s]);
    }
    check_samples();
    check_devices();
    return std::move(reasons_);
  }

 private:
  void say(std::string reason) { reasons_.push_back(std::move(reason)); }

  void check_cover(std::size_t p, const std::vector<Stage>& stages) {
    std::uint32_t next = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const auto& blocks = stages[s].blocks;
      if (blocks.begin.value != next || blocks.end.value <= blocks.begin.value) {
        say(format("pipeline {} stage {} holds blocks {} to {}, expected a range from {}", p, s,
                   blocks.begin, blocks.end, next));
      }
      next = blocks.end.value;
    }
    if (next != plan_.model.block_count()) {
      say(format("pipeline {} ends at block {}, the model has {}", p, next,
                 plan_.model.block_count()));
    }
  }

  void check_stage(std::size_t p, std::size_t s, const Stage& stage) {
    const auto place = format("pipeline {} stage {}", p, s);
    if (stage.group.empty()) say(place + " has no device");
    if (!stage.recompute.empty() && stage.recompute.size() != stage.blocks.size()) {
      say(format("{} has {} recompute entries for {} blocks", place, stage.recompute.size(),
                 stage.blocks.size()));
    }
    if (stage.ministages == 0 || stage.ministages > stage.blocks.size()) {
      say(format("{} has {} ministages for {} blocks", place, stage.ministages,
                 stage.blocks.size()));
    }
    for (const auto& member : stage.group) {
      if (member.samples.size() > 0 && member.micro_batch == 0) {
        say(format("{} device {} has samples but micro-batch size 0", place, member.device));
      }
      if (member.shards.size() != stage.blocks.size()) {
        say(format("{} device {} has {} shard ranges for {} blocks", place, member.device,
                   member.shards.size(), stage.blocks.size()));
        return;
      }
    }
    for (std::uint32_t b = 0; b < stage.blocks.size(); ++b) check_shards(place, stage, b);
  }

  // The owners of a block cover its state exactly once, in group order.
  void check_shards(const std::string& place, const Stage& stage, std::uint32_t b) {
    const auto block = stage.blocks.begin.value + b;
    if (block >= layout_.size()) return;
    std::uint64_t next = 0;
    for (const auto& member : stage.group) {
      const auto range = member.shards[b];
      if (range.begin > range.end || (!range.empty() && range.begin != next)) {
        say(format("{} device {} owns elements {} to {} of block {}, expected from {}", place,
                   member.device, range.begin, range.end, block, next));
        return;
      }
      if (!range.empty()) next = range.end;
    }
    if (next != layout_[block].elements) {
      say(format("{} owns {} of {} elements of block {}", place, next, layout_[block].elements,
                 block));
    }
  }

  /// What devices of all pipelines are dealt of the samples at a block, ascending.
  [[nodiscard]] std::vector<SampleRange> dealt(std::uint32_t block) const {
    std::vector<SampleRange> out;
    for (const auto& pipeline : plan_.pipelines) {
      for (const auto& stage : pipeline.stages) {
        if (block < stage.blocks.begin.value || block >= stage.blocks.end.value) continue;
        for (const auto& member : stage.group) out.push_back(member.samples);
      }
    }
    std::erase_if(out, [](const auto& range) { return range.size() == 0; });
    std::sort(out.begin(), out.end());
    return out;
  }

  // At every block each sample of the step is dealt to exactly one device.
  void check_samples() {
    for (std::uint32_t block = 0; block < plan_.model.block_count(); ++block) {
      std::uint32_t next = 0;
      for (const auto& range : dealt(block)) {
        if (range.begin != next || range.end < range.begin) break;
        next = range.end;
      }
      if (next == plan_.recipe.global_batch) continue;
      say(format("samples of block {} are dealt up to {} of {} without gap or overlap", block, next,
                 plan_.recipe.global_batch));
      return;
    }
  }

  void check_devices() {
    std::set<DeviceId> seen;
    for (const auto& device : plan_.devices()) {
      if (!seen.insert(device).second) say(format("device {} appears twice", device));
    }
  }

  const Plan& plan_;
  std::vector<BlockLayout> layout_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::vector<DeviceId> Plan::devices() const {
  std::vector<DeviceId> out;
  for (const auto& pipeline : pipelines) {
    for (const auto& stage : pipeline.stages) {
      for (const auto& member : stage.group) out.push_back(member.device);
    }
  }
  return out;
}

std::vector<std::string> validate(const Plan& plan) { return Checker(plan).run(); }

}  // namespace frenzy::model
