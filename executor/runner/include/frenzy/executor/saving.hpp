#pragma once
// Between the state in an arena and the pieces of a checkpoint: each device writes what it owns, and
// reads what it holds, whatever layout wrote it. No second copy of the state is made.

#include <vector>

#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"
#include "frenzy/executor/state.hpp"

namespace frenzy::executor {

/// Writes every owned range of every field. Only while no step runs. Blocks on the disk.
[[nodiscard]] Result<std::vector<checkpoint::Piece>> save_state(const State& state, Files& files,
                                                                const ContentHashing& hashing,
                                                                const std::string& directory);

/// Fills every held range from a checkpoint.
[[nodiscard]] Status load_state(State& state, checkpoint::CheckpointReader& reader);

}  // namespace frenzy::executor
