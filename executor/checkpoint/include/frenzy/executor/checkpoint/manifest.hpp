#pragma once
// The manifest of a checkpoint: which pieces make up the state of a job at one step. It is written
// last, atomically, and holds a digest of itself; a checkpoint without a manifest does not exist.

#include "frenzy/base/hash.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/executor/checkpoint/piece.hpp"
#include "frenzy/model/model_spec.hpp"
#include "frenzy/model/recipe.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frenzy::executor::checkpoint {

inline constexpr std::uint64_t kManifestFormat = 1;
inline constexpr Bytes kLargestManifest = 256_MiB;

struct Manifest {
  JobId job;
  Step step;
  std::uint64_t samples = 0;  ///< consumed since step 0
  model::ModelSpec model;
  Fingerprint recipe;  ///< recipe_fingerprint of what trained it
  std::vector<Piece> pieces;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

[[nodiscard]] Fingerprint recipe_fingerprint(const model::Recipe& recipe);

/// invalid_argument if the model is illegal, a piece lies outside its block or has another scalar
/// than the rest, the weights have a hole, or a moment is there for a part of the elements only.
[[nodiscard]] Status check(const Manifest& manifest);

/// The scalar of all pieces. The manifest passes check().
[[nodiscard]] model::Scalar scalar_of(const Manifest& manifest);

/// JSON text and back. Reading refuses damage (corrupt), another format (unsupported, with both
/// numbers) and what check() refuses (corrupt).
[[nodiscard]] std::string manifest_text(const Manifest& manifest, const ContentHashing& hashing);
[[nodiscard]] Result<Manifest> parse_manifest(std::string_view text, const ContentHashing& hashing);

/// "DIRECTORY/step-0000000000120.json".
[[nodiscard]] std::string manifest_path(const std::string& directory, Step step);

/// Checks and writes a manifest durably. Its pieces are written and acknowledged before: they may
/// lie in other directories, so they are not looked for. Thread: the blocking pool.
[[nodiscard]] Status write_manifest(Files& files, const ContentHashing& hashing,
                                    const std::string& directory, const Manifest& manifest);

/// not_found if there is none for `step`. Errors begin with the path. Thread: the blocking pool.
[[nodiscard]] Result<Manifest> read_manifest(Files& files, const ContentHashing& hashing,
                                             const std::string& directory, Step step);

}  // namespace frenzy::executor::checkpoint
