#pragma once
// A job's newest save, brought from the nodes that hold its pieces, through the coordinator, into a
// directory that reads like any directory of checkpoints.

#include "frenzy/base/digest.hpp"
#include "frenzy/base/files.hpp"
#include "frenzy/cli/coordinator.hpp"
#include "frenzy/executor/checkpoint/manifest.hpp"

namespace frenzy::cli {

enum class Wanted : std::uint8_t { weights, everything };

/// The manifest of a save as the coordinator describes it, with the pieces that are wanted. corrupt if
/// the job's text or the pieces do not make up a model.
[[nodiscard]] Result<executor::checkpoint::Manifest> manifest_of(const codec::Checkpoint& save, Wanted wanted);

using FetchProgress = std::function<void(Bytes got, Bytes of)>;

/// Writes pieces, each compared with its digest, then the manifest. Errors: not_found if the job is
/// unknown or nothing was saved; unreachable if a node that holds a piece is gone; corrupt.
[[nodiscard]] Result<executor::checkpoint::Manifest> fetch_checkpoint(Coordinator& coordinator, Files& files,
                                                                      const ContentHashing& hashing, const std::string& job,
                                                                      Wanted wanted, const std::string& directory,
                                                                      const FetchProgress& progress);

}  // namespace frenzy::cli
