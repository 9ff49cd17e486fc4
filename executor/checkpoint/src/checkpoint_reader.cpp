#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"

#include <algorithm>
#include <utility>

namespace frenzy::executor::checkpoint {
namespace {

/// The piece that holds element `at` and reaches furthest, or null.
const Piece* piece_with(std::span<const Piece> sorted, std::uint64_t at) {
  const Piece* best = nullptr;
  for (const auto& piece : sorted) {
    const auto& range = piece.spec.range;
    if (range.begin > at) break;
    if (range.end > at && (best == nullptr || range.end > best->spec.range.end)) best = &piece;
  }
  return best;
}

}  // namespace

CheckpointReader::CheckpointReader(Files& files, const ContentHashing& hashing,
                                   std::string directory, Manifest manifest)
    : files_(files),
      hashing_(hashing),
      directory_(std::move(directory)),
      manifest_(std::move(manifest)),
      scalar_bytes_(model::size_of(scalar_of(manifest_))) {
  for (const auto& piece : manifest_.pieces) {
    pieces_[{piece.spec.block.value, piece.spec.field}].push_back(piece);
  }
  for (auto& [place, pieces] : pieces_) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.spec.range < b.spec.range; });
  }
}

Result<CheckpointReader> CheckpointReader::open(Files& files, const ContentHashing& hashing,
                                                const std::string& directory, Step step) {
  auto manifest = read_manifest(files, hashing, directory, step);
  if (!manifest) return manifest.error();
  return CheckpointReader(files, hashing, directory, std::move(*manifest));
}

Result<std::uint64_t> CheckpointReader::first_element_of(const Piece& piece) {
  const auto known = checked_.find(piece.digest);
  if (known != checked_.end()) return known->second;
  const auto place = check_piece(files_, hashing_, directory_, piece);
  if (place) checked_.emplace(piece.digest, *place);
  return place;
}

Status CheckpointReader::read_part(const Piece& piece, model::ElementRange part,
                                   std::span<std::byte> out) {
  const auto start = first_element_of(piece);
  if (!start) return start.error();
  const auto file = files_.open(piece_path(directory_, piece.digest));
  if (!file) return file.error();
  return (*file)->read(*start + (part.begin - piece.spec.range.begin) * scalar_bytes_, out);
}

Status CheckpointReader::load(BlockIndex block, Field field, model::ElementRange range,
                              std::span<std::byte> out) {
  if (range.begin > range.end || out.size() != range.size() * scalar_bytes_) {
    return error(Errc::invalid_argument,
                 "{}: elements [{}, {}) of block {} do not fill {} bytes of {}", directory_,
                 range.begin, range.end, block, out.size(), model::name_of(scalar_of(manifest_)));
  }
  const auto found = pieces_.find({block.value, field});
  const auto pieces = found == pieces_.end() ? std::span<const Piece>() : std::span(found->second);
  for (auto at = range.begin; at < range.end;) {
    const auto* piece = piece_with(pieces, at);
    if (piece == nullptr) {
      return error(Errc::not_found, "{}: element {} of block {} {} at step {} is in no piece",
                   directory_, at, block, name_of(field), manifest_.step);
    }
    const model::ElementRange part{at, std::min(piece->spec.range.end, range.end)};
    const auto read = read_part(*piece, part, out.first(part.size() * scalar_bytes_));
    if (!read) return read;
    out = out.subspan(part.size() * scalar_bytes_);
    at = part.end;
  }
  return {};
}

Status CheckpointReader::load(BlockIndex block, Field field, model::ElementRange range,
                              std::span<float> out) {
  if (scalar_of(manifest_) != model::Scalar::fp32) {
    return error(Errc::invalid_argument, "{}: the checkpoint is fp64, not fp32", directory_);
  }
  return load(block, field, range, std::as_writable_bytes(out));
}

Status CheckpointReader::load(BlockIndex block, Field field, model::ElementRange range,
                              std::span<double> out) {
  if (scalar_of(manifest_) != model::Scalar::fp64) {
    return error(Errc::invalid_argument, "{}: the checkpoint is fp32, not fp64", directory_);
  }
  return load(block, field, range, std::as_writable_bytes(out));
}

}  // namespace frenzy::executor::checkpoint
