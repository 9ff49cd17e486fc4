#pragma once
// Operations of the reference kernels on plain row-major arrays. Instantiated for float and double.
// "Adds" means onto what is there; everything else overwrites. T = rows, one a token.

#include <cstddef>
#include <cstdint>

#include "frenzy/executor/block_view.hpp"

namespace frenzy::executor::cpu::reference {

struct AttentionShape {
  std::size_t samples, sequence, heads, head_size;
  [[nodiscard]] std::size_t hidden() const { return heads * head_size; }
};

/// Layer normalisation (Ba et al. 2016): out = (x - mean) rstd weight + bias over `width` columns,
/// rstd = 1 / sqrt(variance + epsilon).
template <class T>
void layer_norm(T* out, T* mean, T* rstd, const T* x, const T* weight, const T* bias,
                std::size_t rows, std::size_t width, double epsilon);
/// The same from kept statistics.
template <class T>
void layer_norm_again(T* out, const T* mean, const T* rstd, const T* x, const T* weight,
                      const T* bias, std::size_t rows, std::size_t width);
/// dx = residual + gradient of x; residual may be null. With h = (x - mean) rstd and g = d_out weight:
/// rstd (g - avg(g) - h avg(g h)).
template <class T>
void layer_norm_backward_input(T* dx, const T* residual, const T* d_out, const T* x, const T* mean,
                               const T* rstd, const T* weight, std::size_t rows, std::size_t width);
/// Adds sum over rows of d_out h and of d_out.
template <class T>
void layer_norm_backward_weight(T* d_weight, T* d_bias, const T* d_out, const T* x, const T* mean,
                                const T* rstd, std::size_t rows, std::size_t width);

/// y = x weight^T + bias; weight is out x in; bias may be null.
template <class T>
void linear(T* y, const T* x, const T* weight, const T* bias, std::size_t rows, std::size_t in,
            std::size_t out);
/// dx = dy weight.
template <class T>
void linear_backward_input(T* dx, const T* dy, const T* weight, std::size_t rows, std::size_t in,
                           std::size_t out);
/// Adds dy^T x and the column sums of dy; d_bias may be null.
template <class T>
void linear_backward_weight(T* d_weight, T* d_bias, const T* dy, const T* x, std::size_t rows,
                            std::size_t in, std::size_t out);

/// GELU, tanh form (Hendrycks and Gimpel 2016): x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
template <class T>
void gelu(T* out, const T* x, std::size_t count);
/// gradient *= gelu'(x).
template <class T>
void gelu_backward(T* gradient, const T* x, std::size_t count);

/// Causal self-attention, scale 1/sqrt(head_size); qkv is T x 3C. row_statistic: log of the row's
/// sum of exp(scaled score). Scores are never stored (Dao et al. 2022, section 3).
template <class T>
void attention(T* out, T* row_statistic, const T* qkv, AttentionShape shape);
/// d_qkv from d_out; row_dot is scratch: sum of d_out out over a head's row.
template <class T>
void attention_backward(T* d_qkv, T* row_dot, const T* d_out, const T* out, const T* row_statistic,
                        const T* qkv, AttentionShape shape);

/// Logits become d(sum of -log softmax[target]) / d logits; rows with target -1 become 0 and count
/// nothing. Returns the sum of -log p.
template <class T>
double cross_entropy(T* logits, const std::int32_t* targets, std::size_t rows,
                     std::size_t vocabulary);

template <class T>
void optimize(const OptimizerCall& call);

/// Passes of whole blocks.
template <class T>
void embedding_forward(BlockViews& views, const BlockCall& call);
template <class T>
void embedding_backward_weight(BlockViews& views, const BlockCall& call);
template <class T>
void layer_forward(BlockViews& views, const BlockCall& call);
template <class T>
void layer_backward_input(BlockViews& views, const BlockCall& call);
template <class T>
void layer_backward_weight(BlockViews& views, const BlockCall& call);
template <class T>
void head_forward(BlockViews& views, const BlockCall& call);
template <class T>
void head_backward_input(BlockViews& views, const BlockCall& call);
template <class T>
void head_backward_weight(BlockViews& views, const BlockCall& call);

}  // namespace frenzy::executor::cpu::reference
