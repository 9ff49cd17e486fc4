#pragma once
// In which order samples are used: a keyed permutation of [0, count) for each pass over the data.
// It is computed, not stored, so no device has a data position to save, move or lose: sample number
// i of step s is the same whatever devices there are. Cost: a few hash rounds a sample.

#include "frenzy/base/ids.hpp"
#include "frenzy/model/plan.hpp"

#include <cstdint>
#include <vector>

namespace frenzy::executor::data {

/// Image of `index` under the permutation of [0, count) that `key` picks. index < count.
[[nodiscard]] std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t key);

/// Value type. `count` samples in the data (at least 1), `global_batch` of them a step.
struct SampleOrder {
  std::uint64_t seed = 0;
  std::uint64_t count = 1;
  std::uint32_t global_batch = 1;

  /// Sample used at a position of the endless sequence of passes.
  [[nodiscard]] std::uint64_t at(std::uint64_t position) const;
  /// Sample number `number` (0..global_batch-1) of the step that makes state `step` + 1.
  [[nodiscard]] std::uint64_t of(Step step, std::uint32_t number) const;
  /// The samples of a range of numbers, in order.
  [[nodiscard]] std::vector<std::uint64_t> of(Step step, model::SampleRange range) const;
};

}  // namespace frenzy::executor::data
