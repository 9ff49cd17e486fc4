#pragma once
// pack(program): a place in one arena for every buffer, hence the peak, known before anything runs.
// Buffers are placed largest first at the lowest offset that no overlapping buffer holds (first fit);
// what is left unused at the peak is reported as gaps. Cost: O(buffers^2).

#include "frenzy/program/program.hpp"

namespace frenzy::memory_profiler {

/// Every offset is a multiple of this.
inline constexpr std::uint64_t kBufferAlignment = 64;

[[nodiscard]] program::PackedProgram pack(program::Program program);

/// Bytes that no packing can avoid: the most that is alive at one instruction, in list order.
struct Peak {
  Bytes live{};
  std::uint32_t instruction = 0;
  model::Footprint parts;  ///< of the live buffers, without gaps
};
[[nodiscard]] Peak peak(const program::Program& program);

}  // namespace frenzy::memory_profiler
