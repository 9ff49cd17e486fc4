#include "frenzy/model/parameter_layout.hpp"

#include <cmath>

#include "frenzy/base/check.hpp"
#include "frenzy/base/rng.hpp"

namespace frenzy::model {
namespace {

constexpr double kGpt2Deviation = 0.02;

class LayoutBuilder {
 public:
  explicit LayoutBuilder(BlockKind kind) { layout_.kind = kind; }

  void matrix(std::string name, std::uint64_t out, std::uint64_t in, double deviation,
              FileOrder order) {
    add({.name = std::move(name), .rows = out, .columns = in, .offset = 0, .decay = Decay::yes,
         .initial = {InitialKind::normal, deviation}, .file_order = order, .is_vector = false});
  }
  void vector(std::string name, std::uint64_t size, InitialKind kind) {
    add({.name = std::move(name), .rows = size, .columns = 1, .offset = 0, .decay = Decay::no,
         .initial = {kind, 0.0}, .file_order = FileOrder::as_stored, .is_vector = true});
  }
  void norm(const std::string& name, std::uint64_t size) {
    vector(name + ".weight", size, InitialKind::ones);
    vector(name + ".bias", size, InitialKind::zeros);
  }
  [[nodiscard]] BlockLayout take() { return std::move(layout_); }

 private:
  void add(TensorSpec tensor) {
    tensor.offset = layout_.elements;
    layout_.elements += tensor.elements();
    layout_.tensors.push_back(std::move(tensor));
  }
  BlockLayout layout_;
};

BlockLayout gpt2_embedding(const ModelSpec& spec) {
  LayoutBuilder builder(BlockKind::embedding);
  builder.matrix("transformer.wte.weight", spec.vocabulary, spec.hidden, kGpt2Deviation,
                 FileOrder::as_stored);
  builder.matrix("transformer.wpe.weight", spec.positions, spec.hidden, kGpt2Deviation,
                 FileOrder::as_stored);
  return builder.take();
}

// Residual projections start smaller by sqrt(2 layers), as GPT-2's paper says (section 2.3).
BlockLayout gpt2_layer(const ModelSpec& spec, std::uint32_t layer) {
  const auto prefix = format("transformer.h.{}.", layer);
  const auto residual = kGpt2Deviation / std::sqrt(2.0 * spec.layers);
  LayoutBuilder builder(BlockKind::layer);
  const auto projection = [&](const std::string& name, std::uint64_t out, std::uint64_t in,
                              double deviation) {
    builder.matrix(prefix + name + ".weight", out, in, deviation, FileOrder::conv1d);
    builder.vector(prefix + name + ".bias", out, InitialKind::zeros);
  };
  builder.norm(prefix + "ln_1", spec.hidden);
  projection("attn.c_attn", 3ULL * spec.hidden, spec.hidden, kGpt2Deviation);
  projection("attn.c_proj", spec.hidden, spec.hidden, residual);
  builder.norm(prefix + "ln_2", spec.hidden);
  projection("mlp.c_fc", spec.ffn, spec.hidden, kGpt2Deviation);
  projection("mlp.c_proj", spec.hidden, spec.ffn, residual);
  return builder.take();
}

BlockLayout gpt2_head(const ModelSpec& spec) {
  LayoutBuilder builder(BlockKind::head);
  builder.norm("transformer.ln_f", spec.hidden);
  if (spec.tying == Tying::untied) {
    builder.matrix("lm_head.weight", spec.vocabulary, spec.hidden, kGpt2Deviation,
                   FileOrder::as_stored);
  }
  return builder.take();
}

}  // namespace

const TensorSpec& BlockLayout::find(std::string_view suffix) const {
  const TensorSpec* found = nullptr;
  for (const auto& tensor : tensors) {
    if (!tensor.name.ends_with(suffix)) continue;
    FRENZY_CHECK(found == nullptr);
    found = &tensor;
  }
  FRENZY_CHECK(found != nullptr);
  return *found;
}

std::vector<BlockLayout> parameter_layout(const ModelSpec& spec) {
  std::vector<BlockLayout> out;
  out.push_back(gpt2_embedding(spec));
  for (std::uint32_t layer = 0; layer < spec.layers; ++layer) out.push_back(gpt2_layer(spec, layer));
  out.push_back(gpt2_head(spec));
  return out;
}

std::uint64_t parameter_count(const ModelSpec& spec) {
  std::uint64_t count = 0;
  for (const auto& block : parameter_layout(spec)) count += block.elements;
  return count;
}

double initial_value(const TensorSpec& tensor, std::uint64_t seed, std::uint64_t element) {
  switch (tensor.initial.kind) {
    case InitialKind::zeros: return 0.0;
    case InitialKind::ones: return 1.0;
    case InitialKind::normal:
      return tensor.initial.deviation * counter_normal(random_key(seed, tensor.name), element);
  }
  return 0.0;
}

}  // namespace frenzy::model
