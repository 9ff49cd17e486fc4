#pragma once
// Planted defects of the data path. Each needs a fault or an uncommon plan before it does anything.

#include "defect.hpp"

namespace frenzy::simulation {

/// A gathered range that came late is not taken: the parameters of the step before are used.
[[nodiscard]] std::unique_ptr<Defect> stale_gather();
/// A reduction that takes long is taken for complete, and its buffers are used again.
[[nodiscard]] std::unique_ptr<Defect> early_completion();
/// What is sent for a shard that begins inside a cache line begins with the line.
[[nodiscard]] std::unique_ptr<Defect> rounded_offset();
/// After a job was planned anew, a last, smaller micro-batch begins one sample early.
[[nodiscard]] std::unique_ptr<Defect> doubled_sample();

}  // namespace frenzy::simulation
