#pragma once
// Does a packed program fit into a device's memory, and if not, why not, in one sentence.

#include <string>

#include "frenzy/program/program.hpp"

namespace frenzy::memory_profiler {

struct Room {
  std::string device;  ///< name, for the error
  Bytes free{};        ///< as of now
  Bytes fixed{};       ///< taken by the runner before any program
  Bytes reserve{};     ///< kept free on purpose
};

/// The footprint with fixed and reserve filled in.
[[nodiscard]] model::Footprint whole_footprint(const program::PackedProgram& packed,
                                               const Room& room);

/// does_not_fit with needed bytes, free bytes and the largest part.
[[nodiscard]] Status admit(const program::PackedProgram& packed, const Room& room);

/// The same by the bound that no packing can beat (see peak): cheap, and final when it refuses.
[[nodiscard]] Status admit_bound(const program::Program& program, const Room& room);

}  // namespace frenzy::memory_profiler
