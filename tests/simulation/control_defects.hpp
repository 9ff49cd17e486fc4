#pragma once
// Planted defects of the control plane. Each needs a fault or a race before it does anything.

#include "defect.hpp"

namespace frenzy::simulation {

/// The abort that tells the other nodes of a lost one is not sent.
[[nodiscard]] std::unique_ptr<Defect> lost_abort();
/// The end of a runner that was killed before it was ready is not told: its reservation stays.
[[nodiscard]] std::unique_ptr<Defect> forgotten_release();
/// The end of a killed runner is told before its memory is free.
[[nodiscard]] std::unique_ptr<Defect> early_release();
/// In a cancel, each runner saves where it stands, and calls it the step that was asked for.
[[nodiscard]] std::unique_ptr<Defect> mixed_save();

}  // namespace frenzy::simulation
