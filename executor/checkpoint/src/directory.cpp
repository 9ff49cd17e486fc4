#include "frenzy/executor/checkpoint/directory.hpp"

#include "frenzy/base/text.hpp"

#include <algorithm>
#include <set>

namespace frenzy::executor::checkpoint {
namespace {

using Digests = std::set<ContentDigest>;

class Verifier {
 public:
  Verifier(Files& files, const ContentHashing& hashing, const std::string& directory,
           Missing missing)
      : files_(files), hashing_(hashing), directory_(directory), missing_(missing) {}

  void check_step(Step step) {
    const auto manifest = read_manifest(files_, hashing_, directory_, step);
    if (!manifest) {
      out_.problems.push_back(manifest.error().what);
      return;
    }
    ++out_.checkpoints;
    for (const auto& piece : manifest->pieces) {
      if (seen_.insert(piece.digest).second) check_one(piece);
    }
  }
  [[nodiscard]] Verified take() { return std::move(out_); }

 private:
  void check_one(const Piece& piece) {
    const auto place = check_piece(files_, hashing_, directory_, piece);
    if (place) {
      ++out_.pieces;
      out_.bytes += piece.bytes;
    } else if (place.error().code == Errc::not_found && missing_ == Missing::lies_elsewhere) {
      ++out_.elsewhere;
    } else {
      out_.problems.push_back(place.error().what);
    }
  }

  Files& files_;
  const ContentHashing& hashing_;
  const std::string& directory_;
  Missing missing_;
  Digests seen_;
  Verified out_;
};

Status add_named(Files& files, const ContentHashing& hashing, const std::string& directory,
                 Step step, Digests& out) {
  const auto manifest = read_manifest(files, hashing, directory, step);
  if (!manifest) return manifest.error();
  for (const auto& piece : manifest->pieces) out.insert(piece.digest);
  return {};
}

}  // namespace

Result<std::vector<Step>> list_steps(Files& files, const std::string& directory) {
  const auto names = files.list(directory);
  if (!names) return names.error();
  std::vector<Step> out;
  for (std::string_view name : *names) {
    constexpr std::string_view kBefore = "step-", kAfter = ".json";
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    name.remove_prefix(kBefore.size());
    name.remove_suffix(kAfter.size());
    const auto number = parse_unsigned(name);
    if (number && name.size() >= 13) out.push_back({*number});
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<Verified> verify(Files& files, const ContentHashing& hashing, const std::string& directory,
                        Missing missing) {
  const auto steps = list_steps(files, directory);
  if (!steps) return steps.error();
  Verifier verifier(files, hashing, directory, missing);
  for (const auto step : *steps) verifier.check_step(step);
  return verifier.take();
}

namespace {

Status copy_file(Files& files, const std::string& from, const std::string& to) {
  constexpr std::uint64_t kPart = 256 << 10;
  auto source = files.open(from);
  if (!source) return source.error();
  auto target = files.create(to, FileMode::shared);
  if (!target) return target.error();
  const auto size = (*source)->size().value;
  std::vector<std::byte> part(std::min(size, kPart));
  for (std::uint64_t at = 0; at < size; at += kPart) {
    const auto bytes = std::span(part).first(std::min(kPart, size - at));
    if (auto read = (*source)->read(at, bytes); !read) return read;
    if (auto put = (*target)->append(bytes); !put) return put;
  }
  return (*target)->commit();
}

}  // namespace

Status copy(Files& files, const ContentHashing& hashing, const std::string& from, Step step, const std::string& to) {
  const auto manifest = read_manifest(files, hashing, from, step);
  if (!manifest) return manifest.error();
  if (auto made = files.make_directory(to + "/pieces"); !made) return made;
  for (const auto& piece : manifest->pieces) {
    if (auto done = copy_file(files, piece_path(from, piece.digest), piece_path(to, piece.digest)); !done) return done;
    if (const auto right = check_piece(files, hashing, to, piece); !right) return right.error();
  }
  return write_manifest(files, hashing, to, *manifest);
}

namespace {

/// Nothing goes before the newest is known to be whole.
Status check_newest(Files& files, const ContentHashing& hashing, const std::string& directory, Step newest, Missing missing) {
  Verifier verifier(files, hashing, directory, missing);
  verifier.check_step(newest);
  const auto found = verifier.take();
  if (found.problems.empty()) return {};
  return error(Errc::corrupt, "{}: nothing was removed, the newest checkpoint is not whole: {}", directory, found.problems.front());
}

}  // namespace

Result<Removed> remove_old(Files& files, const ContentHashing& hashing,
                           const std::string& directory, std::uint64_t keep, Missing missing) {
  FRENZY_CHECK(keep > 0);
  const auto steps = list_steps(files, directory);
  if (!steps) return steps.error();
  Removed removed;
  if (steps->size() <= keep) return removed;

  if (auto whole = check_newest(files, hashing, directory, steps->back(), missing); !whole) return whole.error();
  const auto first_kept = steps->end() - static_cast<std::ptrdiff_t>(keep);
  Digests kept, old;
  for (auto step = first_kept; step != steps->end(); ++step) {
    if (const auto named = add_named(files, hashing, directory, *step, kept); !named)
      return named.error();
  }
  for (auto step = steps->begin(); step != first_kept; ++step) {
    // A damaged old manifest names nothing that could be trusted; remove_unnamed finds its pieces.
    const auto named = add_named(files, hashing, directory, *step, old);
    if (!named && named.error().code != Errc::corrupt) return named.error();
    if (const auto gone = files.remove(manifest_path(directory, *step)); !gone) return gone.error();
    ++removed.checkpoints;
  }
  for (const auto& digest : old) {
    if (kept.contains(digest) || !files.exists(piece_path(directory, digest))) continue;
    if (const auto gone = files.remove(piece_path(directory, digest)); !gone) return gone.error();
    ++removed.pieces;
  }
  return removed;
}

Result<std::uint64_t> remove_unnamed(Files& files, const ContentHashing& hashing,
                                     const std::string& directory) {
  const auto steps = list_steps(files, directory);
  if (!steps) return steps.error();
  Digests named;
  for (const auto step : *steps) {
    if (const auto read = add_named(files, hashing, directory, step, named); !read)
      return read.error();
  }
  const auto names = files.list(directory + "/pieces");
  if (!names)
    return names.error().code == Errc::not_found ? Result<std::uint64_t>(0) : names.error();
  std::uint64_t removed = 0;
  for (const auto& name : *names) {
    const auto path = format("{}/pieces/{}", directory, name);
    const auto digest = ContentDigest::parse(std::string_view(name).substr(0, 64));
    if (digest && named.contains(*digest) && piece_path(directory, *digest) == path) continue;
    if (const auto gone = files.remove(path); !gone) return gone.error();
    ++removed;
  }
  return removed;
}

}  // namespace frenzy::executor::checkpoint
