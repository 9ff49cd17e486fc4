#include "frenzy/cli/fetch_checkpoint.hpp"

#include <map>

#include "frenzy/job_file/job_file.hpp"

namespace frenzy::cli {
namespace {

using executor::checkpoint::Manifest;
using executor::checkpoint::Piece;
using executor::checkpoint::piece_path;

/// Pieces of one fetch, by digest: replicas have the same bytes and are fetched once.
class Fetch {
 public:
  Fetch(Coordinator& coordinator, Files& files, const ContentHashing& hashing, std::string directory, const FetchProgress& progress)
      : coordinator_(coordinator), files_(files), hashing_(hashing), directory_(std::move(directory)), progress_(progress) {}

  Status run(const codec::Checkpoint& save, const Manifest& manifest) {
    std::map<ContentDigest, const model::SavedPiece*> wanted;
    for (const auto& piece : manifest.pieces) wanted[piece.digest] = nullptr;
    for (const auto& piece : save.pieces) {
      if (const auto found = wanted.find(piece.digest); found != wanted.end()) found->second = &piece;
    }
    for (const auto& [digest, piece] : wanted) total_ += piece->size;
    if (auto made = files_.make_directory(directory_ + "/pieces"); !made) return made;
    for (const auto& [digest, piece] : wanted) {
      if (auto got = fetch(*piece); !got) return at(format("piece {}", digest), got.error());
    }
    return {};
  }

 private:
  Status fetch(const model::SavedPiece& piece) {
    auto file = files_.create(piece_path(directory_, piece.digest), FileMode::shared);
    if (!file) return file.error();
    const auto hasher = hashing_.start();
    for (Bytes at{}; at < piece.size;) {
      const auto chunk = coordinator_.ask_for<codec::Chunk>(
          codec::GetChunk{.digest = piece.digest, .offset = at, .size = static_cast<std::uint32_t>(codec::kMaxChunk), .node = piece.node});
      if (!chunk) return chunk.error();
      if (chunk->offset != at || chunk->bytes.empty() || chunk->total != piece.size) {
        return error(Errc::corrupt, "{} bytes at {} of {} came for {} at {}", chunk->bytes.size(), chunk->offset.value,
                     chunk->total.value, piece.size.value, at.value);
      }
      hasher->update(chunk->bytes);
      if (auto done = (*file)->append(chunk->bytes); !done) return done;
      at += Bytes{chunk->bytes.size()};
      got_ += Bytes{chunk->bytes.size()};
      progress_(got_, total_);
    }
    if (const auto digest = hasher->finish(); digest != piece.digest) return error(Errc::corrupt, "its bytes have the digest {}", digest);
    return (*file)->commit();
  }

  Coordinator& coordinator_;
  Files& files_;
  const ContentHashing& hashing_;
  std::string directory_;
  const FetchProgress& progress_;
  Bytes got_{}, total_{};
};

}  // namespace

Result<Manifest> manifest_of(const codec::Checkpoint& save, Wanted wanted) {
  const auto job = job_file::parse_job(save.toml, "job.toml");
  if (!job) return error(Errc::corrupt, "the job's text in the coordinator's store: {}", job.error());
  Manifest out;
  out.job = save.job;
  out.step = save.step;
  out.samples = save.step.value * job->recipe.global_batch;
  out.model = job->model;
  out.recipe = executor::checkpoint::recipe_fingerprint(job->recipe);
  for (const auto& piece : save.pieces) {
    if (wanted == Wanted::weights && piece.field != model::Field::weights) continue;
    out.pieces.push_back(Piece{{piece.block, piece.field, piece.elements, job->recipe.precision}, piece.digest, piece.size});
  }
  if (auto checked = executor::checkpoint::check(out); !checked) return error(Errc::corrupt, "the save of step {}: {}", save.step, checked.error());
  return out;
}

Result<Manifest> fetch_checkpoint(Coordinator& coordinator, Files& files, const ContentHashing& hashing, const std::string& job,
                                  Wanted wanted, const std::string& directory, const FetchProgress& progress) {
  const auto save = coordinator.ask_for<codec::Checkpoint>(codec::GetCheckpoint{job});
  if (!save) return save.error();
  auto manifest = manifest_of(*save, wanted);
  if (!manifest) return manifest.error();
  Fetch fetch(coordinator, files, hashing, directory, progress);
  if (auto done = fetch.run(*save, *manifest); !done) return done.error();
  if (auto written = executor::checkpoint::write_manifest(files, hashing, directory, *manifest); !written) return written.error();
  return manifest;
}

}  // namespace frenzy::cli
