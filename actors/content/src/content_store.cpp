#include "frenzy/content/content_store.hpp"

#include <algorithm>
#include <optional>

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

namespace {

constexpr std::string_view kPieceEnd = ".safetensors";

std::optional<ContentDigest> digest_of(std::string_view name) {
  if (!name.ends_with(kPieceEnd)) return std::nullopt;
  name.remove_suffix(kPieceEnd.size());
  const auto digest = ContentDigest::parse(name);
  return digest ? std::optional(*digest) : std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> ContentStore::names() {
  FRENZY_CHECK(layout_ == Layout::pieces);
  auto found = files_.list(directory_ + "/pieces");
  if (!found && found.error().code == Errc::not_found) return std::vector<std::string>{};
  return found;
}

Result<std::vector<ContentDigest>> ContentStore::list() {
  const auto found = names();
  if (!found) return found.error();
  std::vector<ContentDigest> out;
  for (const auto& name : *found) {
    if (const auto digest = digest_of(name)) out.push_back(*digest);
  }
  return out;
}

Result<std::size_t> ContentStore::remove_unfinished() {
  const auto found = names();
  if (!found) return found.error();
  std::size_t removed = 0;
  for (const auto& name : *found) {
    if (digest_of(name)) continue;
    if (auto done = files_.remove(format("{}/pieces/{}", directory_, name)); !done) return done.error();
    ++removed;
  }
  return removed;
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
