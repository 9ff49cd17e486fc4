#pragma once
// Splits of whole numbers over devices of unlike speed. Pure and deterministic.

#include <cstdint>
#include <span>
#include <vector>

#include "frenzy/base/units.hpp"

namespace frenzy::planner {

/// Deals `items` one at a time to whoever would finish first: item k of device i costs cost[i], and
/// device i starts busy for start[i]. This is optimal for the latest finish (all items are equal).
/// Ties go to the lower index. Result: items a device.
[[nodiscard]] std::vector<std::uint32_t> deal(std::uint32_t items, std::span<const Seconds> cost,
                                              std::span<const Seconds> start);

/// Cuts `total` in proportion to `weights` (not all zero), in whole multiples of `grain` except the
/// last cut; the parts sum to total. Largest remainders get what rounding left.
[[nodiscard]] std::vector<std::uint64_t> apportion(std::uint64_t total,
                                                   std::span<const double> weights,
                                                   std::uint64_t grain);

}  // namespace frenzy::planner
