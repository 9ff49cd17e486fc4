#pragma once
// Reads any range of a checkpoint's state, assembled from whatever pieces cover it. A piece is
// compared with its digest when it is first touched, so no damaged byte is ever returned.

#include "frenzy/executor/checkpoint/manifest.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace frenzy::executor::checkpoint {

/// Memory: the manifest and 256 KiB. Blocks on the disk. Thread: one at a time.
class CheckpointReader {
 public:
  /// `files` and `hashing` outlive the reader. The manifest passes check().
  CheckpointReader(Files& files, const ContentHashing& hashing, std::string directory,
                   Manifest manifest);

  /// The checkpoint of `step` in `directory`.
  [[nodiscard]] static Result<CheckpointReader> open(Files& files, const ContentHashing& hashing,
                                                     const std::string& directory, Step step);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }

  /// Fills `out` with the elements of `range` in the checkpoint's scalar. not_found naming the
  /// first element that no piece has, or a piece that is not in the directory; corrupt naming piece
  /// and digest; invalid_argument if `range` leaves the block or `out` has another size.
  [[nodiscard]] Status load(BlockIndex block, Field field, model::ElementRange range,
                            std::span<std::byte> out);
  /// The same for elements of the checkpoint's scalar type.
  [[nodiscard]] Status load(BlockIndex block, Field field, model::ElementRange range,
                            std::span<float> out);
  [[nodiscard]] Status load(BlockIndex block, Field field, model::ElementRange range,
                            std::span<double> out);

 private:
  [[nodiscard]] Result<std::uint64_t> first_element_of(const Piece& piece);
  [[nodiscard]] Status read_part(const Piece& piece, model::ElementRange part,
                                 std::span<std::byte> out);

  Files& files_;
  const ContentHashing& hashing_;
  std::string directory_;
  Manifest manifest_;
  std::uint64_t scalar_bytes_;
  std::map<std::pair<std::uint32_t, Field>, std::vector<Piece>> pieces_;  ///< by first element
  std::map<ContentDigest, std::uint64_t> checked_;  ///< place of the first element in the file
};

}  // namespace frenzy::executor::checkpoint
