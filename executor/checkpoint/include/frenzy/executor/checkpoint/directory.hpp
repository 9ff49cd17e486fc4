#pragma once
// A directory of checkpoints of one job: manifests, and pieces that several of them may share.
// Blocks on the disk. Thread: the blocking pool, one caller a directory at a time.

#include "frenzy/executor/checkpoint/manifest.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace frenzy::executor::checkpoint {

/// A node keeps only the pieces that its own devices wrote: one that is not here is then no fault.
enum class Missing : std::uint8_t { is_a_problem, lies_elsewhere };

/// Steps with a manifest, ascending; not_found if there is no such directory.
[[nodiscard]] Result<std::vector<Step>> list_steps(Files& files, const std::string& directory);

struct Verified {
  std::uint64_t checkpoints = 0;      ///< manifests that were read
  std::uint64_t pieces = 0;           ///< different ones, found and right
  Bytes bytes;                        ///< of those
  std::uint64_t elsewhere = 0;        ///< pieces that are not in this directory
  std::vector<std::string> problems;  ///< empty = every checkpoint here loads
};

/// Reads every manifest and every byte of every piece they name.
[[nodiscard]] Result<Verified> verify(Files& files, const ContentHashing& hashing,
                                      const std::string& directory, Missing missing);

/// Writes one checkpoint into another directory, whole: pieces, compared after the copy, then manifest.
[[nodiscard]] Status copy(Files& files, const ContentHashing& hashing, const std::string& from, Step step,
                          const std::string& to);

struct Removed {
  std::uint64_t checkpoints = 0;
  std::uint64_t pieces = 0;
};

/// Keeps the newest `keep` (at least 1) checkpoints. First verifies the newest of them: if it is
/// not whole, nothing is removed and the error says why. A piece goes only if a removed manifest
/// named it and no kept one does, so pieces of a save in progress are safe. Manifests go before
/// their pieces.
[[nodiscard]] Result<Removed> remove_old(Files& files, const ContentHashing& hashing,
                                         const std::string& directory, std::uint64_t keep,
                                         Missing missing);

/// Removes every file among the pieces that no manifest names: what an interrupted save left, half
/// written ones too. No save may be in progress.
/// Returns their number; an unreadable manifest is an error, since it may name any of them.
[[nodiscard]] Result<std::uint64_t> remove_unnamed(Files& files, const ContentHashing& hashing,
                                                   const std::string& directory);

}  // namespace frenzy::executor::checkpoint
