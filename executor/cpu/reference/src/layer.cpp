#include <algorithm>

#include "operations.hpp"

namespace frenzy::executor::cpu::reference {
namespace {

struct Sizes {
  std::size_t tokens, hidden, ffn;
  AttentionShape attention;
};

Sizes sizes_of(const model::ModelSpec& spec, program::MicroBatchShape shape) {
  return {shape.tokens(), spec.hidden, spec.ffn,
          {shape.samples, shape.sequence, spec.heads, spec.hidden / spec.heads}};
}

template <class T>
void add_to(T* into, const T* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] += from[i];
}

}  // namespace

template <class T>
void layer_forward(BlockViews& views, const BlockCall& call) {
  const auto& table = views.table(call);
  const auto s = sizes_of(views.spec(), call.shape);
  const auto w = views.layer().at(elements<T>(call.weights));
  const auto kept = LayerKept<T>::of(table, call.kept);
  const auto temporary = LayerTemporaries<T>::of(table.forward_temporaries, call.workspace);
  const T* const input = elements<T>(call.input);
  T* const output = elements<T>(call.output);
  const double epsilon = views.spec().norm_epsilon;

  layer_norm(temporary.norm, kept.mean1, kept.rstd1, input, w.norm1_weight, w.norm1_bias, s.tokens,
             s.hidden, epsilon);
  linear(kept.qkv, temporary.norm, w.qkv_weight, w.qkv_bias, s.tokens, s.hidden, 3 * s.hidden);
  attention(kept.attention, kept.row_statistic, kept.qkv, s.attention);
  linear(kept.middle, kept.attention, w.project_weight, w.project_bias, s.tokens, s.hidden, s.hidden);
  add_to(kept.middle, input, s.tokens * s.hidden);

  layer_norm(temporary.norm, kept.mean2, kept.rstd2, kept.middle, w.norm2_weight, w.norm2_bias,
             s.tokens, s.hidden, epsilon);
  linear(kept.preactivation, temporary.norm, w.expand_weight, w.expand_bias, s.tokens, s.hidden, s.ffn);
  gelu(temporary.activation, kept.preactivation, s.tokens * s.ffn);
  linear(output, temporary.activation, w.contract_weight, w.contract_bias, s.tokens, s.ffn, s.hidden);
  add_to(output, kept.middle, s.tokens * s.hidden);
}

template <class T>
void layer_backward_input(BlockViews& views, const BlockCall& call) {
  const auto& table = views.table(call);
  const auto s = sizes_of(views.spec(), call.shape);
  const auto w = views.layer().at(elements<T>(call.weights));
  const auto kept = LayerKept<T>::of(table, call.kept);
  const auto d = LayerDeferred<T>::of(table, call.deferred);
  const auto temporary = LayerTemporaries<T>::of(table.backward_temporaries, call.workspace);

  std::copy_n(elements<T>(call.output_gradient), s.tokens * s.hidden, d.output);
  linear_backward_input(d.preactivation, d.output, w.contract_weight, s.tokens, s.ffn, s.hidden);
  gelu_backward(d.preactivation, kept.preactivation, s.tokens * s.ffn);
  linear_backward_input(d.norm2, d.preactivation, w.expand_weight, s.tokens, s.hidden, s.ffn);
  layer_norm_backward_input<T>(d.middle, d.output, d.norm2, kept.middle, kept.mean2, kept.rstd2,
                               w.norm2_weight, s.tokens, s.hidden);

  linear_backward_input(temporary.d_attention, d.middle, w.project_weight, s.tokens, s.hidden, s.hidden);
  attention_backward<T>(d.qkv, temporary.row_dot, temporary.d_attention, kept.attention,
                        kept.row_statistic, kept.qkv, s.attention);
  linear_backward_input(d.norm1, d.qkv, w.qkv_weight, s.tokens, s.hidden, 3 * s.hidden);
  layer_norm_backward_input<T>(elements<T>(call.input_gradient), d.middle, d.norm1,
                               elements<T>(call.input), kept.mean1, kept.rstd1, w.norm1_weight,
                               s.tokens, s.hidden);
}

template <class T>
void layer_backward_weight(BlockViews& views, const BlockCall& call) {
  const auto& table = views.table(call);
  const auto s = sizes_of(views.spec(), call.shape);
  const auto w = views.layer().at(elements<T>(call.weights));
  const auto g = views.layer().at(elements<T>(call.weight_gradient));
  const auto kept = LayerKept<T>::of(table, call.kept);
  const auto d = LayerDeferred<T>::of(table, call.deferred);
  const auto temporary = LayerTemporaries<T>::of(table.backward_temporaries, call.workspace);
  const T* const input = elements<T>(call.input);

  gelu(temporary.activation, kept.preactivation, s.tokens * s.ffn);
  linear_backward_weight<T>(g.contract_weight, g.contract_bias, d.output, temporary.activation,
                            s.tokens, s.ffn, s.hidden);
  layer_norm_again<T>(temporary.norm, kept.mean2, kept.rstd2, kept.middle, w.norm2_weight,
                      w.norm2_bias, s.tokens, s.hidden);
  linear_backward_weight<T>(g.expand_weight, g.expand_bias, d.preactivation, temporary.norm,
                            s.tokens, s.hidden, s.ffn);
  layer_norm_backward_weight<T>(g.norm2_weight, g.norm2_bias, d.norm2, kept.middle, kept.mean2,
                                kept.rstd2, s.tokens, s.hidden);

  linear_backward_weight<T>(g.project_weight, g.project_bias, d.middle, kept.attention, s.tokens,
                            s.hidden, s.hidden);
  layer_norm_again<T>(temporary.norm, kept.mean1, kept.rstd1, input, w.norm1_weight, w.norm1_bias,
                      s.tokens, s.hidden);
  linear_backward_weight<T>(g.qkv_weight, g.qkv_bias, d.qkv, temporary.norm, s.tokens, s.hidden,
                            3 * s.hidden);
  layer_norm_backward_weight<T>(g.norm1_weight, g.norm1_bias, d.norm1, input, kept.mean1, kept.rstd1,
                                s.tokens, s.hidden);
}

#define FRENZY_INSTANTIATE(T)                                              \
  template void layer_forward<T>(BlockViews&, const BlockCall&);           \
  template void layer_backward_input<T>(BlockViews&, const BlockCall&);    \
  template void layer_backward_weight<T>(BlockViews&, const BlockCall&)
FRENZY_INSTANTIATE(float);
FRENZY_INSTANTIATE(double);
#undef FRENZY_INSTANTIATE

}  // namespace frenzy::executor::cpu::reference
