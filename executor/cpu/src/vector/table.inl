// All loops of one variant and the table of them. Include after defining FRENZY_VECTOR_BYTES.

#include "lanes.inl"

#include "elementwise.inl"
#include "layer_norm.inl"
#include "small_product.inl"

#include "attention.inl"

namespace frenzy::executor::cpu {
namespace {

constexpr VectorKernels table(const char* name) {
  return {.name = name,
          .bias = bias,
          .bias_residual = bias_residual,
          .bias_gelu = bias_gelu,
          .gelu = gelu,
          .gelu_backward = gelu_backward,
          .layer_norm = layer_norm,
          .layer_norm_again = layer_norm_again,
          .layer_norm_backward = layer_norm_backward,
          .layer_norm_backward_weight = layer_norm_backward_weight,
          .column_sums = column_sums,
          .cross_entropy = cross_entropy,
          .attention = attention,
          .attention_backward = attention_backward,
          .adamw = adamw,
          .sgd = sgd,
          .squared_norm = squared_norm,
          .add = add};
}

}  // namespace
}  // namespace frenzy::executor::cpu
