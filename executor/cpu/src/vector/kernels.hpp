#pragma once
// The vectorised loops of the CPU backend: one table a instruction set, filled from the same source
// (*.inl) compiled with other flags. Row-major fp32; a function works on the rows it is given and
// nothing else, so callers may split rows as they like without changing a bit of the result.

#include <cstddef>
#include <cstdint>

namespace frenzy::executor::cpu {

/// One head of one sample. Rows of queries, keys and values are `stride` apart, rows of outputs
/// `out_stride`. statistic, row_dot: one a row.
struct AttentionHead {
  std::size_t sequence, size;
  std::size_t stride, out_stride;
  const float *query, *key, *value;
  float* statistic;
  float* scratch;  ///< attention_scratch floats, 64-byte aligned
};

struct AttentionHeadGradient {
  const float *out, *d_out;
  float* row_dot;
  float *d_query, *d_key, *d_value;  ///< rows `stride` apart
};

struct AdamwFactors {
  float gradient_scale, keep, rate, beta1, beta2, root, epsilon;
};

struct VectorKernels {
  const char* name;

  /// y += bias.
  void (*bias)(float* y, const float* bias, std::size_t rows, std::size_t width);
  /// y += bias + residual.
  void (*bias_residual)(float* y, const float* bias, const float* residual, std::size_t rows,
                        std::size_t width);
  /// y += bias; out = gelu(y), tanh form.
  void (*bias_gelu)(float* out, float* y, const float* bias, std::size_t rows, std::size_t width);
  void (*gelu)(float* out, const float* x, std::size_t count);
  /// gradient *= gelu'(x).
  void (*gelu_backward)(float* gradient, const float* x, std::size_t count);

  /// out = (x - mean) rstd weight + bias, statistics written.
  void (*layer_norm)(float* out, float* mean, float* rstd, const float* x, const float* weight,
                     const float* bias, std::size_t rows, std::size_t width, float epsilon);
  /// The same from kept statistics.
  void (*layer_norm_again)(float* out, const float* mean, const float* rstd, const float* x,
                           const float* weight, const float* bias, std::size_t rows, std::size_t width);
  /// dx = gradient of x, plus residual unless that is null.
  void (*layer_norm_backward)(float* dx, const float* residual, const float* d_out, const float* x,
                              const float* mean, const float* rstd, const float* weight,
                              std::size_t rows, std::size_t width);
  /// Adds over all rows to columns [0, columns) of d_weight and d_bias; rows are `width` apart.
  void (*layer_norm_backward_weight)(float* d_weight, float* d_bias, const float* d_out, const float* x,
                                     const float* mean, const float* rstd, std::size_t rows,
                                     std::size_t width, std::size_t columns);
  /// out += sum over rows of y's columns [0, columns).
  void (*column_sums)(float* out, const float* y, std::size_t rows, std::size_t width,
                      std::size_t columns);

  /// Logits become their gradient; losses[row] = -log p, both 0 where the target is negative.
  void (*cross_entropy)(float* logits, double* losses, const std::int32_t* targets, std::size_t rows,
                        std::size_t vocabulary);

  /// Causal, scale 1/sqrt(size). Writes out and statistic.
  void (*attention)(float* out, const AttentionHead& head);
  void (*attention_backward)(const AttentionHead& head, const AttentionHeadGradient& gradient);

  void (*adamw)(float* w, float* m, float* v, const float* gradient, std::size_t count,
                const AdamwFactors& factors);
  void (*sgd)(float* w, const float* gradient, std::size_t count, float gradient_scale, float rate,
              float decay);
  double (*squared_norm)(const float* x, std::size_t count);
  void (*add)(float* into, const float* from, std::size_t count);
};

/// Floats of scratch for either attention function; the same for every table.
[[nodiscard]] std::size_t attention_scratch(std::size_t sequence, std::size_t head_size);

[[nodiscard]] const VectorKernels& portable_kernels();
[[nodiscard]] const VectorKernels& avx2_kernels();
[[nodiscard]] const VectorKernels& avx512_kernels();
/// The widest that this processor runs.
[[nodiscard]] const VectorKernels& best_vector_kernels();

/// Rows and columns of an attention tile, and what head sizes are padded to.
inline constexpr std::size_t kTile = 64;
inline constexpr std::size_t kPad = 16;

}  // namespace frenzy::executor::cpu
