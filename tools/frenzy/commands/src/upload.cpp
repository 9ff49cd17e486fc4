#include "frenzy/cli/upload.hpp"

#include <algorithm>
#include <map>

namespace frenzy::cli {
namespace {

constexpr std::uint64_t kChunk = codec::kMaxChunk;

Status read_chunk(const ReadableFile& file, std::uint64_t number, Bytes size, std::vector<std::byte>& out) {
  out.resize(std::min(kChunk, size.value - number * kChunk));
  return file.read(number * kChunk, out);
}

}  // namespace

Result<model::DataManifest> manifest_of(Files& files, const ContentHashing& hashing, const std::string& path) {
  const auto file = files.open(path);
  if (!file) return file.error();
  model::DataManifest out{.path = path, .size = (*file)->size(), .chunk_bytes = static_cast<std::uint32_t>(kChunk)};
  if (out.size.value == 0) return error(Errc::invalid_argument, "{} is empty", path);
  const auto count = (out.size.value + kChunk - 1) / kChunk;
  if (count > codec::kMaxChunks) {
    return error(Errc::unsupported, "{} has {}, this version takes files up to {}", path, out.size, Bytes{codec::kMaxChunks * kChunk});
  }
  const auto whole = hashing.start();
  std::vector<std::byte> chunk;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (auto read = read_chunk(**file, i, out.size, chunk); !read) return read.error();
    out.chunks.push_back(hashing.digest(chunk));
    whole->update(chunk);
  }
  out.digest = whole->finish();
  return out;
}

Status send_missing(Coordinator& coordinator, Files& files, const ContentHashing& hashing, const model::DataManifest& manifest,
                    const UploadProgress& progress) {
  const auto missing = coordinator.ask_for<codec::MissingChunks>(codec::OfferChunks{manifest.chunks});
  if (!missing) return missing.error();
  std::map<ContentDigest, std::uint64_t> wanted;
  for (std::size_t i = 0; i < manifest.chunks.size(); ++i) {
    if (std::ranges::find(missing->digests, manifest.chunks[i]) != missing->digests.end()) wanted.try_emplace(manifest.chunks[i], i);
  }
  if (wanted.empty()) return {};
  const auto file = files.open(manifest.path);
  if (!file) return file.error();
  const Bytes all{std::min(manifest.size.value, wanted.size() * kChunk)};
  Bytes sent{};
  std::vector<std::byte> chunk;
  for (const auto& [digest, number] : wanted) {
    if (auto read = read_chunk(**file, number, manifest.size, chunk); !read) return read;
    if (hashing.digest(chunk) != digest) return error(Errc::conflict, "{} was changed while it was sent", manifest.path);
    sent += Bytes{chunk.size()};
    const auto done = coordinator.ask_for<codec::Accepted>(codec::PutChunk{digest, chunk});
    if (!done) return done.error();
    progress(std::min(sent, all), all);
  }
  return {};
}

}  // namespace frenzy::cli
