#include "manifests.hpp"

#include <algorithm>
#include <set>

namespace frenzy::tools {
namespace {

Status read_part(const ReadableFile& file, std::uint64_t number, std::vector<std::byte>& out) {
  const auto offset = number * codec::kMaxChunk;
  out.resize(std::min<std::uint64_t>(codec::kMaxChunk, file.size().value - offset));
  return file.read(offset, out);
}

}  // namespace

Result<model::DataManifest> manifest_of(Files& files, const ContentHashing& hashing, const std::string& path) {
  auto file = files.open(path);
  if (!file) return file.error();
  model::DataManifest out;
  out.path = path;
  out.size = (*file)->size();
  out.chunk_bytes = static_cast<std::uint32_t>(codec::kMaxChunk);
  if (out.size.value == 0) return error(Errc::invalid_argument, "{} is empty", path);
  const auto count = (out.size.value + codec::kMaxChunk - 1) / codec::kMaxChunk;
  if (count > codec::kMaxChunks) {
    return error(Errc::unsupported, "{} has {}, this version takes files up to {}", path, out.size, Bytes{codec::kMaxChunks * codec::kMaxChunk});
  }
  const auto whole = hashing.start();
  std::vector<std::byte> part;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (auto read = read_part(**file, i, part); !read) return read.error();
    out.chunks.push_back(hashing.digest(part));
    whole->update(part);
  }
  out.digest = whole->finish();
  return out;
}

Status send_missing(Connection& connection, Files& files, const model::DataManifest& manifest) {
  const auto missing = connection.ask_for<codec::MissingChunks>(codec::OfferChunks{manifest.chunks});
  if (!missing) return missing.error();
  std::set<ContentDigest> wanted(missing->digests.begin(), missing->digests.end());
  if (wanted.empty()) return {};
  const auto file = files.open(manifest.path);
  if (!file) return file.error();
  std::vector<std::byte> part;
  for (std::size_t i = 0; i < manifest.chunks.size(); ++i) {
    if (wanted.erase(manifest.chunks[i]) == 0) continue;
    if (auto read = read_part(**file, i, part); !read) return read;
    const auto done = connection.ask_for<codec::Accepted>(codec::PutChunk{manifest.chunks[i], part});
    if (!done) return done.error();
  }
  return {};
}

}  // namespace frenzy::tools
