#pragma once
// ContentStore: files named by the digest of their bytes, in one directory. What is stored was verified;
// a file that was changed on disk is noticed when it is read whole. Blocks on the disk.

#include <span>
#include <string>
#include <vector>

#include "frenzy/base/digest.hpp"
#include "frenzy/base/files.hpp"

namespace frenzy::content {

/// Bytes of a part of a file, and how long the file is.
struct Slice {
  Bytes total{};
  std::vector<std::byte> bytes;
};

/// chunks: DIRECTORY/ab/abcd...; pieces: DIRECTORY/pieces/abcd....safetensors, as checkpoints write them.
enum class Layout : std::uint8_t { chunks = 1, pieces = 2 };

/// Thread: any.
class ContentStore {
 public:
  /// Both references outlive the store. The directory is made when first needed.
  ContentStore(Files& files, const ContentHashing& hashing, std::string directory, Layout layout = Layout::chunks)
      : files_(files), hashing_(hashing), directory_(std::move(directory)), layout_(layout) {}

  [[nodiscard]] bool has(const ContentDigest& digest);
  /// Durable when it returns. corrupt if the bytes have another digest.
  [[nodiscard]] Status put(const ContentDigest& digest, std::span<const std::byte> bytes);
  /// At most `size` bytes from `offset`; not_found, or invalid_argument beyond the end.
  [[nodiscard]] Result<Slice> read(const ContentDigest& digest, Bytes offset, std::uint32_t size);
  /// What is stored, and nothing that is half written. Layout::pieces only.
  [[nodiscard]] Result<std::vector<ContentDigest>> list();
  /// Removes what is half written: nothing may be writing. Layout::pieces only. Their number.
  [[nodiscard]] Result<std::size_t> remove_unfinished();
  /// One that is not there is fine.
  [[nodiscard]] Status remove(const ContentDigest& digest) { return files_.remove(path(digest)); }
  [[nodiscard]] std::string path(const ContentDigest& digest) const;
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  /// Names in the directory of pieces.
  [[nodiscard]] Result<std::vector<std::string>> names();

  Files& files_;
  const ContentHashing& hashing_;
  std::string directory_;
  Layout layout_;
};

}  // namespace frenzy::content
