#pragma once
// A small model's state, and checkpoints of it cut in random ways.

#include "test_hashing.hpp"

#include "frenzy/base/memory_files.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"

#include <bit>
#include <string>
#include <vector>

namespace frenzy::test {

namespace cp = frenzy::executor::checkpoint;

inline model::ModelSpec small_model(model::Tying tying = model::Tying::tied) {
  return {.layers = 2,
          .hidden = 8,
          .heads = 2,
          .ffn = 20,
          .positions = 6,
          .vocabulary = 11,
          .tying = tying};
}

/// Any bit pattern at (step, block, field, element): NaNs and infinities too.
inline std::byte state_byte(std::uint64_t step, std::uint32_t block, cp::Field field,
                            std::uint64_t at) {
  const auto key = mix64(step * 1000 + block * 10 + static_cast<std::uint64_t>(field));
  return static_cast<std::byte>(counter_random(key, at) & 0xff);
}

inline std::vector<std::byte> state_bytes(std::uint64_t step, const cp::PieceSpec& spec) {
  const auto size = model::size_of(spec.scalar);
  std::vector<std::byte> out;
  for (auto at = spec.range.begin * size; at < spec.range.end * size; ++at) {
    out.push_back(state_byte(step, spec.block.value, spec.field, at));
  }
  return out;
}

struct Fixture {
  MemoryFiles files;
  TestHashing hashing;
  std::string directory = "/state/job";
  model::Scalar scalar = model::Scalar::fp32;
  model::ModelSpec model = small_model();

  /// Range, in up to five parts of which some may be empty.
  static std::vector<model::ElementRange> cut(Rng& rng, std::uint64_t elements) {
    std::vector<model::ElementRange> out;
    std::uint64_t at = 0;
    for (auto parts = rng.below(5); parts > 0; --parts) {
      const auto end = at + rng.below(elements - at + 1);
      out.push_back({at, end});
      at = end;
    }
    out.push_back({at, elements});
    return out;
  }

  [[nodiscard]] cp::Manifest manifest_at(std::uint64_t step) const {
    cp::Manifest out;
    Rng rng(4);
    out.job = JobId::random(rng);
    out.step = {step};
    out.samples = step * 24;
    out.model = model;
    out.recipe = {0x123, step};
    return out;
  }

  /// All pieces of a step; the first failure ends it.
  Result<cp::Manifest> write_pieces(std::uint64_t step, Rng& rng) {
    auto manifest = manifest_at(step);
    const auto blocks = model::parameter_layout(model);
    for (const auto field : cp::kFields) {
      for (std::uint32_t block = 0; block < blocks.size(); ++block) {
        for (const auto range : cut(rng, blocks[block].elements)) {
          const cp::PieceSpec spec{{block}, field, range, scalar};
          const auto piece =
              cp::write_piece(files, hashing, directory, spec, state_bytes(step, spec));
          if (!piece) return piece.error();
          manifest.pieces.push_back(*piece);
        }
      }
    }
    return manifest;
  }

  Status save(std::uint64_t step, std::uint64_t seed) {
    Rng rng(seed);
    const auto manifest = write_pieces(step, rng);
    if (!manifest) return manifest.error();
    return cp::write_manifest(files, hashing, directory, *manifest);
  }

  void flip_bit(const std::string& path, std::uint64_t bit) {
    auto text = *files.read_text(path, 1_GiB);
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    const auto written = files.write_text(path, text, FileMode::shared);
    FRENZY_CHECK(written.ok());
  }
};

}  // namespace frenzy::test
