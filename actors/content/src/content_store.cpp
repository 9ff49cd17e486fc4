#include "frenzy/content/content_store.hpp"

#include <algorithm>

namespace frenzy::content {

std::string ContentStore::path(const ContentDigest& digest) const {
  const auto name = format("{}", digest);
  if (layout_ == Layout::pieces) return format("{}/pieces/{}.safetensors", directory_, name);
  return format("{}/{}/{}", directory_, std::string_view(name).substr(0, 2), name);
}

bool ContentStore::has(const ContentDigest& digest) { return files_.exists(path(digest)); }

Status ContentStore::put(const ContentDigest& digest, std::span<const std::byte> bytes) {
  if (hashing_.digest(bytes) != digest) {
    return error(Errc::corrupt, "{} bytes do not have the digest {}", bytes.size(), digest);
  }
  if (has(digest)) return {};
  const auto name = path(digest);
  if (auto made = files_.make_directory(name.substr(0, name.rfind('/'))); !made) return made;
  auto file = files_.create(name, FileMode::shared);
  if (!file) return file.error();
  if (auto done = (*file)->append(bytes); !done) return done;
  return (*file)->commit();
}

Result<Slice> ContentStore::read(const ContentDigest& digest, Bytes offset, std::uint32_t size) {
  auto file = files_.open(path(digest));
  if (!file) return file.error();
  const auto total = (*file)->size();
  if (offset > total) {
    return error(Errc::invalid_argument, "{} has {} bytes, asked from {}", digest, total.value, offset.value);
  }
  Slice out{total, {}};
  out.bytes.resize(std::min<std::uint64_t>(size, (total - offset).value));
  if (auto done = (*file)->read(offset.value, out.bytes); !done) return done.error();
  return out;
}

}  // namespace frenzy::content
