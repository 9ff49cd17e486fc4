#pragma once
// A piece: one range of one field of one block's flat state, in a safetensors file of its own that
// is named by the digest of its bytes. Devices write the ranges they own; nothing in a piece says
// how the others were cut, so any checkpoint loads under any plan.

#include "frenzy/base/digest.hpp"
#include "frenzy/base/files.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/model/field.hpp"
#include "frenzy/model/parameter_layout.hpp"
#include "frenzy/model/scalar.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace frenzy::executor::checkpoint {

using model::Field;
using model::kFields;

struct PieceSpec {
  BlockIndex block;
  Field field = Field::weights;
  model::ElementRange range;
  model::Scalar scalar = model::Scalar::fp32;  ///< fp32 or fp64

  [[nodiscard]] std::uint64_t data_bytes() const { return range.size() * model::size_of(scalar); }
  friend bool operator==(const PieceSpec&, const PieceSpec&) = default;
};

/// "block 3 moment1 [0, 4096)".
void append_text(std::string& out, const PieceSpec& value);

struct Piece {
  PieceSpec spec;
  ContentDigest digest;  ///< of the whole file
  Bytes bytes;           ///< of the whole file
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// "DIRECTORY/pieces/DIGEST.safetensors".
[[nodiscard]] std::string piece_path(const std::string& directory, const ContentDigest& digest);

/// Writes `data` (the range's elements, spec.data_bytes() long) durably under its name. A failure
/// leaves no file. Blocks on the disk. Thread: the blocking pool.
[[nodiscard]] Result<Piece> write_piece(Files& files, const ContentHashing& hashing,
                                        const std::string& directory, const PieceSpec& spec,
                                        std::span<const std::byte> data);

/// Reads the whole file in parts of 256 KiB and compares size, digest and header with `piece`:
/// corrupt (or not_found) naming the piece and the digests. The place of its first element
/// otherwise.
[[nodiscard]] Result<std::uint64_t> check_piece(Files& files, const ContentHashing& hashing,
                                                const std::string& directory, const Piece& piece);

}  // namespace frenzy::executor::checkpoint
