#include "frenzy/model/model_spec.hpp"

#include <array>
#include <utility>

#include "frenzy/base/text.hpp"

namespace frenzy::model {
namespace {

struct Preset {
  std::string_view name;
  std::uint32_t layers, hidden, heads, positions, vocabulary;
};

// Radford et al. 2019, table 2, for small to xl; tiny and mini are byte-level models for a laptop.
constexpr std::array<Preset, 6> kPresets{{
    {"gpt2-tiny", 2, 64, 2, 256, 256},
    {"gpt2-mini", 6, 384, 6, 512, 256},
    {"gpt2-small", 12, 768, 12, 1024, 50257},
    {"gpt2-medium", 24, 1024, 16, 1024, 50257},
    {"gpt2-large", 36, 1280, 20, 1024, 50257},
    {"gpt2-xl", 48, 1600, 25, 1024, 50257},
}};

constexpr std::uint32_t kLargest = 1U << 24;

}  // namespace

BlockKind ModelSpec::kind(BlockIndex block) const {
  if (block.value == 0) return BlockKind::embedding;
  return block.value <= layers ? BlockKind::layer : BlockKind::head;
}

Result<ModelSpec> validated(ModelSpec spec) {
  if (spec.ffn == 0) spec.ffn = 4 * spec.hidden;
  const std::array<std::pair<std::string_view, std::uint32_t>, 6> sizes{{
      {"layers", spec.layers}, {"hidden", spec.hidden}, {"heads", spec.heads},
      {"ffn", spec.ffn}, {"positions", spec.positions}, {"vocabulary", spec.vocabulary}}};
  for (const auto& [name, value] : sizes) {
    if (value == 0 || value > kLargest) {
      return error(Errc::invalid_argument, "model.{} is {}, it must be 1 to {}", name, value, kLargest);
    }
  }
  if (spec.hidden % spec.heads != 0) {
    return error(Errc::invalid_argument, "model.hidden {} is not a multiple of model.heads {}",
                 spec.hidden, spec.heads);
  }
  if (!(spec.norm_epsilon > 0.0 && spec.norm_epsilon < 1.0)) {
    return error(Errc::invalid_argument, "model.norm_epsilon {} is not between 0 and 1",
                 spec.norm_epsilon);
  }
  return spec;
}

Result<ModelSpec> preset(std::string_view name) {
  std::array<std::string_view, kPresets.size()> names{};
  for (std::size_t i = 0; i < kPresets.size(); ++i) {
    const auto& p = kPresets[i];
    names[i] = p.name;
    if (p.name != name) continue;
    return validated({.layers = p.layers, .hidden = p.hidden, .heads = p.heads, .ffn = 0,
                      .positions = p.positions, .vocabulary = p.vocabulary});
  }
  std::string all;
  for (const auto known : names) all += format(" {}", known);
  const auto near = nearest(name, names);
  return error(Errc::not_found, "no model preset '{}'{}; presets:{}", printable(name, 64),
               near ? format(" (did you mean '{}'?)", *near) : std::string(), all);
}

std::string block_name(const ModelSpec& spec, BlockIndex block) {
  switch (spec.kind(block)) {
    case BlockKind::embedding: return "embedding";
    case BlockKind::layer: return format("layer {}", block.value - 1);
    case BlockKind::head: return "head";
  }
  return "unknown";
}

}  // namespace frenzy::model
