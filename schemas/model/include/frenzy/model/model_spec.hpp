#pragma once
// What a model is, as data. A model is a list of blocks: 0 = embedding, 1..layers = transformer
// layers, layers+1 = head (final norm, output projection, loss). A plan can cut between any two.

#include <cstdint>
#include <string>
#include <string_view>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"

namespace frenzy::model {

enum class Family : std::uint8_t { gpt2 = 1 };
enum class BlockKind : std::uint8_t { embedding = 1, layer = 2, head = 3 };
/// tied: the head projects with the embedding's token table; one state, owned once.
enum class Tying : std::uint8_t { tied = 1, untied = 2 };

struct ModelSpec {
  Family family = Family::gpt2;
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t heads = 0;
  std::uint32_t ffn = 0;  ///< inner width of the MLP; 4 x hidden for GPT-2
  std::uint32_t positions = 0;
  std::uint32_t vocabulary = 0;
  Tying tying = Tying::tied;
  double norm_epsilon = 1e-5;

  friend bool operator==(const ModelSpec&, const ModelSpec&) = default;

  [[nodiscard]] std::uint32_t block_count() const { return layers + 2; }
  [[nodiscard]] BlockKind kind(BlockIndex block) const;
  [[nodiscard]] BlockIndex head_block() const { return {layers + 1}; }
};

/// The spec if every size is positive and they fit together; else invalid_argument naming the field.
[[nodiscard]] Result<ModelSpec> validated(ModelSpec spec);

/// Presets that a job file may name: "gpt2-tiny", "gpt2-mini", "gpt2-small", "gpt2-medium",
/// "gpt2-large", "gpt2-xl". not_found lists them.
[[nodiscard]] Result<ModelSpec> preset(std::string_view name);

/// "embedding", "layer 3", "head".
[[nodiscard]] std::string block_name(const ModelSpec& spec, BlockIndex block);

}  // namespace frenzy::model
