#pragma once
// A plan: which devices do what in one training step. It is data; `validate` says every reason why
// one is illegal. A program is compiled from it, and nothing else decides what a device does.

#include <cstdint>
#include <string>
#include <vector>

#include "frenzy/base/hash.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/model/model_spec.hpp"
#include "frenzy/model/parameter_layout.hpp"
#include "frenzy/model/recipe.hpp"
#include "frenzy/model/scalar.hpp"

namespace frenzy::model {

/// How a group shares the state of its blocks (ZeRO's names in brackets).
enum class Sharding : std::uint8_t {
  replicated = 1, optimizer = 2 /* ZeRO-1 */, gradients = 3 /* ZeRO-2 */,
  parameters = 4 /* ZeRO-3 */, ministage = 5
};
enum class Recompute : std::uint8_t { none = 1, selective = 2, full = 3 };
enum class ScheduleKind : std::uint8_t { one_forward_one_backward = 1, interleaved = 2, breadth_first = 3, listed = 4 };

/// Half-open range of sample numbers 0..global_batch-1 of a step.
struct SampleRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  friend auto operator<=>(const SampleRange&, const SampleRange&) = default;
};

/// Half-open range of blocks.
struct BlockRange {
  BlockIndex begin, end;
  [[nodiscard]] std::uint32_t size() const { return end.value - begin.value; }
  friend auto operator<=>(const BlockRange&, const BlockRange&) = default;
};

struct Member {
  DeviceId device;
  std::uint32_t micro_batch = 0;        ///< samples pushed through at once; the last may be smaller
  SampleRange samples;                  ///< dealt to this device; may be empty
  std::vector<ElementRange> shards;     ///< one a block of the stage: what it owns; may be empty
  friend bool operator==(const Member&, const Member&) = default;
};

struct Offload {
  bool parameters = false, optimizer = false, boundaries = false;
  friend bool operator==(const Offload&, const Offload&) = default;
};

struct Stage {
  BlockRange blocks;
  std::vector<Member> group;
  Sharding sharding = Sharding::replicated;
  std::uint32_t ministages = 1;
  std::vector<Recompute> recompute;  ///< one a block, or empty for none
  Offload offload;
  friend bool operator==(const Stage&, const Stage&) = default;
};

struct Pipeline {
  std::vector<Stage> stages;
  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

struct Plan {
  Epoch epoch;
  ModelSpec model;
  Recipe recipe;
  std::vector<Pipeline> pipelines;
  ScheduleKind schedule = ScheduleKind::one_forward_one_backward;
  Scalar gather_dtype = Scalar::fp32, reduce_dtype = Scalar::fp32, boundary_dtype = Scalar::fp32;
  std::uint32_t logit_rows = 1024;  ///< rows of the bounded logits buffer
  friend bool operator==(const Plan&, const Plan&) = default;

  /// All members in plan order; a device's position is its Rank.
  [[nodiscard]] std::vector<DeviceId> devices() const;
};

/// Every reason why the plan is illegal, each naming the place and the numbers; empty if legal.
[[nodiscard]] std::vector<std::string> validate(const Plan& plan);

}  // namespace frenzy::model
