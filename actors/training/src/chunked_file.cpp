#include "frenzy/training/chunked_file.hpp"

#include <algorithm>
#include <cstring>

namespace frenzy::training {

Status ChunkedFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset + out.size() > manifest_.size.value) {
    return error(Errc::io, "{} has {} bytes, asked for {} from {}", manifest_.path, manifest_.size.value, out.size(), offset);
  }
  while (!out.empty()) {
    const auto size = std::uint64_t{manifest_.chunk_bytes};
    const auto number = size == 0 ? 0 : offset / size;
    if (size == 0 || number >= manifest_.chunks.size()) {
      return error(Errc::corrupt, "{} has {} chunks of {} bytes, too few for byte {}", manifest_.path,
                   manifest_.chunks.size(), size, offset);
    }
    const auto inside = offset % size;
    const auto want = std::min<std::uint64_t>(out.size(), size - inside);
    auto slice = content_.read(manifest_.chunks[number], Bytes{inside}, static_cast<std::uint32_t>(want));
    if (!slice) return slice.error();
    if (slice->bytes.empty()) return error(Errc::corrupt, "chunk {} of {} is too short", number, manifest_.path);
    std::memcpy(out.data(), slice->bytes.data(), slice->bytes.size());
    out = out.subspan(slice->bytes.size());
    offset += slice->bytes.size();
  }
  return {};
}

}  // namespace frenzy::training
