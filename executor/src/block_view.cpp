#include "frenzy/executor/block_view.hpp"

namespace frenzy::executor {
namespace {

LayerOffsets layer_offsets(const model::BlockLayout& layout) {
  const auto at = [&](std::string_view suffix) { return layout.find(suffix).offset; };
  return {at(".ln_1.weight"), at(".ln_1.bias"), at(".attn.c_attn.weight"), at(".attn.c_attn.bias"),
          at(".attn.c_proj.weight"), at(".attn.c_proj.bias"), at(".ln_2.weight"), at(".ln_2.bias"),
          at(".mlp.c_fc.weight"), at(".mlp.c_fc.bias"), at(".mlp.c_proj.weight"),
          at(".mlp.c_proj.bias")};
}

}  // namespace

BlockViews::BlockViews(const model::ModelSpec& spec, model::Scalar scalar)
    : spec_(spec), scalar_(scalar) {
  const auto layout = model::parameter_layout(spec);
  layer_ = layer_offsets(layout[1]);
  edges_ = {.tokens = layout.front().find(".wte.weight").offset,
            .positions = layout.front().find(".wpe.weight").offset,
            .norm_weight = layout.back().find(".ln_f.weight").offset,
            .norm_bias = layout.back().find(".ln_f.bias").offset,
            .projection = tied() ? 0 : layout.back().find("lm_head.weight").offset};
}

const program::BlockTable& BlockViews::table(model::BlockKind kind, program::MicroBatchShape shape,
                                             std::uint32_t logit_rows) {
  const Key key{kind, shape, logit_rows};
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(key, program::block_table(spec_, kind, shape, logit_rows, scalar_))
      .first->second;
}

}  // namespace frenzy::executor
