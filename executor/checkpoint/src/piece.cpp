#include "frenzy/executor/checkpoint/piece.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/executor/checkpoint/safetensors.hpp"

#include <algorithm>
#include <vector>

namespace frenzy::executor::checkpoint {
namespace {

constexpr std::uint64_t kPart = 256 << 10;

std::string tensor_name(const PieceSpec& spec) {
  return format("block.{}.{}", spec.block, name_of(spec.field));
}

std::string piece_header(const PieceSpec& spec) {
  const TensorShape tensor{tensor_name(spec), spec.scalar, {spec.range.size()}};
  return header_text(std::span(&tensor, 1), {{"format", "frenzy piece 1"},
                                             {"first_element", format("{}", spec.range.begin)}});
}

Result<ContentDigest> digest_of(const ReadableFile& file, const ContentHashing& hashing) {
  const auto hasher = hashing.start();
  const auto size = file.size().value;
  std::vector<std::byte> part(std::min(size, kPart));
  for (std::uint64_t at = 0; at < size; at += kPart) {
    const auto bytes = std::span(part).first(std::min(kPart, size - at));
    if (const auto read = file.read(at, bytes); !read) return read.error();
    hasher->update(bytes);
  }
  return hasher->finish();
}

}  // namespace

void append_text(std::string& out, const PieceSpec& value) {
  out += format("block {} {} [{}, {})", value.block, name_of(value.field), value.range.begin,
                value.range.end);
}

std::string piece_path(const std::string& directory, const ContentDigest& digest) {
  return format("{}/pieces/{}.safetensors", directory, digest);
}

Result<Piece> write_piece(Files& files, const ContentHashing& hashing, const std::string& directory,
                          const PieceSpec& spec, std::span<const std::byte> data) {
  FRENZY_CHECK(spec.range.begin <= spec.range.end && data.size() == spec.data_bytes());
  FRENZY_CHECK(spec.scalar == model::Scalar::fp32 || spec.scalar == model::Scalar::fp64);
  const auto header = piece_header(spec);
  const auto hasher = hashing.start();
  hasher->update(bytes_of(header));
  hasher->update(data);
  const Piece piece{spec, hasher->finish(), Bytes{header.size() + data.size()}};

  if (const auto made = files.make_directory(directory + "/pieces"); !made) return made.error();
  auto file = files.create(piece_path(directory, piece.digest), FileMode::shared);
  if (!file) return file.error();
  if (const auto put = (*file)->append(bytes_of(header)); !put) return put.error();
  if (const auto put = (*file)->append(data); !put) return put.error();
  if (const auto kept = (*file)->commit(); !kept) return kept.error();
  return piece;
}

Result<std::uint64_t> check_piece(Files& files, const ContentHashing& hashing,
                                  const std::string& directory, const Piece& piece) {
  const auto path = piece_path(directory, piece.digest);
  auto file = files.open(path);
  if (!file) return at(format("piece {}", piece.spec), file.error());
  if ((*file)->size() != piece.bytes) {
    return error(Errc::corrupt, "{}: piece {} has {} bytes, its manifest says {}", path, piece.spec,
                 (*file)->size().value, piece.bytes.value);
  }
  const auto digest = digest_of(**file, hashing);
  if (!digest) return digest.error();
  if (*digest != piece.digest) {
    return error(Errc::corrupt, "{}: piece {} is damaged, its content has digest {}", path,
                 piece.spec, *digest);
  }
  const auto header = read_header(**file, path);
  if (!header) return header.error();
  const TensorEntry expected{tensor_name(piece.spec),
                             piece.spec.scalar,
                             {piece.spec.range.size()},
                             0,
                             piece.spec.data_bytes()};
  if (header->tensors.size() != 1 || header->tensors.front() != expected) {
    return error(Errc::corrupt, "{}: does not hold piece {}", path, piece.spec);
  }
  return header->data_start;
}

}  // namespace frenzy::executor::checkpoint
