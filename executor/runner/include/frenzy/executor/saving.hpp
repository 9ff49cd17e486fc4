#pragma once
// Between the state in an arena and the pieces of a checkpoint: each device writes what it owns, and
// reads what it holds, whatever layout wrote it. A save on the way copies what the device owns; one at the
// end copies nothing.

#include <vector>

#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"
#include "frenzy/executor/state.hpp"

namespace frenzy::executor {

/// Writes every owned range of every field, then reads each back and compares. Only while no step runs.
/// Blocks on the disk.
[[nodiscard]] Result<std::vector<checkpoint::Piece>> save_state(const State& state, Files& files,
                                                                const ContentHashing& hashing,
                                                                const std::string& directory);

/// What a device owned at one step, in memory of its own: written while the next steps run.
struct StateCopy {
  struct Range {
    checkpoint::PieceSpec spec;
    std::vector<std::byte> bytes;
  };
  std::vector<Range> ranges;
};

/// Only while no step runs. Costs one copy of the owned state.
[[nodiscard]] StateCopy copy_owned(const State& state);
/// As save_state; at any time.
[[nodiscard]] Result<std::vector<checkpoint::Piece>> save_copies(const std::vector<StateCopy>& copies, Files& files,
                                                                 const ContentHashing& hashing,
                                                                 const std::string& directory);

/// Fills every held range from a checkpoint.
[[nodiscard]] Status load_state(State& state, checkpoint::CheckpointReader& reader);

}  // namespace frenzy::executor
