#include "frenzy/program/block_table.hpp"

#include <algorithm>

#include "frenzy/base/check.hpp"
#include "frenzy/model/parameter_layout.hpp"

namespace frenzy::program {
namespace {

struct Sizes {
  std::uint64_t tokens, hidden, heads, ffn, vocabulary, sequence, logit_rows;
};

class SlotBuilder {
 public:
  explicit SlotBuilder(model::Scalar scalar) : width_(size_of(scalar)) {}
  SlotBuilder& add(std::string_view name, std::uint64_t elements) {
    list_.slots.push_back({name, list_.bytes.value, elements});
    list_.bytes = aligned(Bytes{list_.bytes.value + elements * width_}, kTensorAlignment);
    return *this;
  }
  [[nodiscard]] SlotList take() { return std::move(list_); }

 private:
  std::uint64_t width_;
  SlotList list_;
};

double real(std::uint64_t n) { return static_cast<double>(n); }

/// Multiply-adds of the four projections, per token, times two.
double projection_flops(const Sizes& s) {
  return 2.0 * real(s.tokens) *
         (real(s.hidden) * 3 * real(s.hidden) + real(s.hidden) * real(s.hidden) +
          2 * real(s.hidden) * real(s.ffn));
}

/// Causal scores and weighted values: half of T^2, twice, times two.
double attention_flops(const Sizes& s) {
  return 2.0 * real(s.tokens) * real(s.sequence + 1) * real(s.hidden);
}

void fill_layer(BlockTable& table, const Sizes& s, model::Scalar scalar) {
  const auto t = s.tokens, c = s.hidden, f = s.ffn;
  table.kept = SlotBuilder(scalar)
                   .add("mean1", t).add("rstd1", t).add("qkv", t * 3 * c).add("attention", t * c)
                   .add("row_statistic", t * s.heads).add("middle", t * c)
                   .add("mean2", t).add("rstd2", t).add("preactivation", t * f).take();
  table.forward_temporaries = SlotBuilder(scalar).add("norm", t * c).add("activation", t * f).take();
  table.backward_temporaries =
      SlotBuilder(scalar).add("norm", t * c).add("activation", t * f).add("d_attention", t * c)
          .add("row_dot", t * s.heads).take();
  table.deferred = SlotBuilder(scalar)
                       .add("d_output", t * c).add("d_preactivation", t * f).add("d_norm2", t * c)
                       .add("d_middle", t * c).add("d_qkv", t * 3 * c).add("d_norm1", t * c).take();
  const auto projections = projection_flops(s);
  const auto attention = attention_flops(s);
  table.forward = {projections + attention};
  // Backward of attention recomputes the scores: 2.5 times its forward.
  table.backward_input = {projections + 2.5 * attention};
  table.backward_weight = {projections};
}

void fill_head(BlockTable& table, const Sizes& s, model::Scalar scalar) {
  const auto t = s.tokens, c = s.hidden;
  table.kept = SlotBuilder(scalar).add("mean", t).add("rstd", t).take();
  table.forward_temporaries = SlotBuilder(scalar).add("norm", t * c).take();
  table.backward_temporaries = SlotBuilder(scalar).add("norm", t * c).take();
  table.deferred = SlotBuilder(scalar).add("d_norm", t * c).take();
  table.logits = {s.logit_rows * s.vocabulary * size_of(scalar)};
  const auto projection = 2.0 * real(t) * real(c) * real(s.vocabulary);
  const bool again = s.logit_rows < t;
  table.forward = {projection};
  table.backward_input = {again ? 2 * projection : projection};
  table.backward_weight = {again ? 2 * projection : projection};
}

}  // namespace

const TensorSlot& SlotList::find(std::string_view name) const {
  const auto found = std::find_if(slots.begin(), slots.end(), [&](const auto& slot) { return slot.name == name; });
  FRENZY_CHECK(found != slots.end());
  return *found;
}

bool SlotList::contains(std::string_view name) const {
  return std::any_of(slots.begin(), slots.end(), [&](const auto& slot) { return slot.name == name; });
}

std::uint64_t logit_buffer_rows(MicroBatchShape shape, std::uint32_t logit_rows) {
  return std::min<std::uint64_t>(shape.tokens(), std::max<std::uint32_t>(logit_rows, 1));
}

BlockTable block_table(const model::ModelSpec& spec, model::BlockKind kind, MicroBatchShape shape,
                       std::uint32_t logit_rows, model::Scalar scalar) {
  const Sizes sizes{shape.tokens(), spec.hidden, spec.heads, spec.ffn, spec.vocabulary, shape.sequence,
                    logit_buffer_rows(shape, logit_rows)};
  const auto width = size_of(scalar);
  BlockTable table;
  table.boundary = {sizes.tokens * sizes.hidden * width};
  const auto layout = parameter_layout(spec);
  const auto& block = kind == model::BlockKind::embedding ? layout.front()
                      : kind == model::BlockKind::head    ? layout.back()
                                                          : layout[1];
  table.parameters = {block.elements * width};
  switch (kind) {
    case model::BlockKind::embedding:
      table.forward = {real(sizes.tokens) * real(sizes.hidden)};
      table.backward_weight = {2 * real(sizes.tokens) * real(sizes.hidden)};
      break;
    case model::BlockKind::layer: fill_layer(table, sizes, scalar); break;
    case model::BlockKind::head: fill_head(table, sizes, scalar); break;
  }
  return table;
}

}  // namespace frenzy::program
