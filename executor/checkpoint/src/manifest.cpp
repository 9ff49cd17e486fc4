#include "frenzy/executor/checkpoint/manifest.hpp"

#include "frenzy/base/text.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace frenzy::executor::checkpoint {
namespace {

using Ranges = std::vector<model::ElementRange>;

/// First element of [0, elements) in no range, or `elements`.
std::uint64_t first_hole(Ranges ranges, std::uint64_t elements) {
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t at = 0;
  for (const auto& range : ranges) {
    if (range.begin > at) break;
    at = std::max(at, range.end);
  }
  return std::min(at, elements);
}

Status check_piece_place(const Piece& piece, const std::vector<model::BlockLayout>& blocks,
                         model::Scalar scalar) {
  const auto& spec = piece.spec;
  if (spec.block.value >= blocks.size()) {
    return error(Errc::invalid_argument, "piece {}: the model has {} blocks", spec, blocks.size());
  }
  const auto elements = blocks[spec.block.value].elements;
  if (spec.range.begin > spec.range.end || spec.range.end > elements) {
    return error(Errc::invalid_argument, "piece {}: the block has {} elements", spec, elements);
  }
  if (spec.scalar != scalar) {
    return error(Errc::invalid_argument, "piece {} is {}, the first one is {}", spec,
                 model::name_of(spec.scalar), model::name_of(scalar));
  }
  return {};
}

}  // namespace

Fingerprint recipe_fingerprint(const model::Recipe& r) {
  Fingerprinter hash;
  for (const std::uint64_t value :
       {r.steps, std::uint64_t{r.global_batch}, std::uint64_t{r.sequence},
        static_cast<std::uint64_t>(r.optimizer), static_cast<std::uint64_t>(r.schedule), r.warmup,
        static_cast<std::uint64_t>(r.precision), r.seed}) {
    hash.add(value);
  }
  for (const double value : {r.learning_rate, r.minimum_rate, r.beta1, r.beta2, r.epsilon,
                             r.weight_decay, r.clip, r.dropout}) {
    hash.add(std::bit_cast<std::uint64_t>(value));
  }
  return hash.finish();
}

Status check(const Manifest& manifest) {
  if (const auto model = model::validated(manifest.model); !model) return model.error();
  if (manifest.pieces.size() < manifest.model.block_count()) {
    return error(Errc::invalid_argument, "{} pieces are too few for {} blocks",
                 manifest.pieces.size(), manifest.model.block_count());
  }
  const auto blocks = model::parameter_layout(manifest.model);
  std::map<std::pair<Field, std::uint32_t>, Ranges> covered;
  bool has[4] = {};
  for (const auto& piece : manifest.pieces) {
    const auto placed = check_piece_place(piece, blocks, manifest.pieces.front().spec.scalar);
    if (!placed) return placed;
    covered[{piece.spec.field, piece.spec.block.value}].push_back(piece.spec.range);
    has[static_cast<std::size_t>(piece.spec.field)] = true;
  }
  for (const auto field : kFields) {
    if (field != Field::weights && !has[static_cast<std::size_t>(field)]) continue;
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      const auto hole = first_hole(covered[{field, block}], blocks[block].elements);
      if (hole == blocks[block].elements) continue;
      return error(Errc::invalid_argument, "element {} of block {} {} is in no piece", hole, block,
                   name_of(field));
    }
  }
  return {};
}

model::Scalar scalar_of(const Manifest& manifest) {
  FRENZY_CHECK(!manifest.pieces.empty());
  return manifest.pieces.front().spec.scalar;
}

std::string manifest_path(const std::string& directory, Step step) {
  auto digits = format("{}", step);
  if (digits.size() < 13) digits.insert(0, 13 - digits.size(), '0');
  return format("{}/step-{}.json", directory, digits);
}

Status write_manifest(Files& files, const ContentHashing& hashing, const std::string& directory,
                      const Manifest& manifest) {
  const auto path = manifest_path(directory, manifest.step);
  if (const auto whole = check(manifest); !whole) return at(path, whole.error());
  if (const auto made = files.make_directory(directory); !made) return made;
  return files.write_text(path, manifest_text(manifest, hashing), FileMode::shared);
}

Result<Manifest> read_manifest(Files& files, const ContentHashing& hashing,
                               const std::string& directory, Step step) {
  const auto path = manifest_path(directory, step);
  const auto text = files.read_text(path, kLargestManifest);
  if (!text) return text.error();
  auto manifest = parse_manifest(*text, hashing);
  if (!manifest) return at(path, manifest.error());
  if (manifest->step != step) {
    return error(Errc::corrupt, "{}: holds the manifest of step {}", path, manifest->step);
  }
  return manifest;
}

}  // namespace frenzy::executor::checkpoint
