#include <cmath>

#include "operations.hpp"

namespace frenzy::executor::cpu::reference {
namespace {

template <class T>
void normalise_row(T* out, const T* x, T mean, T rstd, const T* weight, const T* bias,
                   std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out[i] = (x[i] - mean) * rstd * weight[i] + bias[i];
}

}  // namespace

template <class T>
void layer_norm(T* out, T* mean, T* rstd, const T* x, const T* weight, const T* bias,
                std::size_t rows, std::size_t width, double epsilon) {
  const auto count = static_cast<T>(width);
  for (std::size_t row = 0; row < rows; ++row) {
    const T* in = x + row * width;
    T sum = 0;
    for (std::size_t i = 0; i < width; ++i) sum += in[i];
    mean[row] = sum / count;
    T squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += (in[i] - mean[row]) * (in[i] - mean[row]);
    rstd[row] = T{1} / std::sqrt(squares / count + static_cast<T>(epsilon));
    normalise_row(out + row * width, in, mean[row], rstd[row], weight, bias, width);
  }
}

template <class T>
void layer_norm_again(T* out, const T* mean, const T* rstd, const T* x, const T* weight,
                      const T* bias, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) {
    normalise_row(out + row * width, x + row * width, mean[row], rstd[row], weight, bias, width);
  }
}

template <class T>
void layer_norm_backward_input(T* dx, const T* residual, const T* d_out, const T* x, const T* mean,
                               const T* rstd, const T* weight, std::size_t rows,
                               std::size_t width) {
  const auto count = static_cast<T>(width);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t at = row * width;
    T sum = 0, dot = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const T g = d_out[at + i] * weight[i];
      sum += g;
      dot += g * (x[at + i] - mean[row]) * rstd[row];
    }
    for (std::size_t i = 0; i < width; ++i) {
      const T h = (x[at + i] - mean[row]) * rstd[row];
      const T d = rstd[row] * (d_out[at + i] * weight[i] - sum / count - h * (dot / count));
      dx[at + i] = residual == nullptr ? d : residual[at + i] + d;
    }
  }
}

template <class T>
void layer_norm_backward_weight(T* d_weight, T* d_bias, const T* d_out, const T* x, const T* mean,
                                const T* rstd, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      const T d = d_out[row * width + i];
      d_weight[i] += d * (x[row * width + i] - mean[row]) * rstd[row];
      d_bias[i] += d;
    }
  }
}

#define FRENZY_INSTANTIATE(T)                                                                     \
  template void layer_norm(T*, T*, T*, const T*, const T*, const T*, std::size_t, std::size_t,    \
                           double);                                                               \
  template void layer_norm_again(T*, const T*, const T*, const T*, const T*, const T*,            \
                                 std::size_t, std::size_t);                                       \
  template void layer_norm_backward_input(T*, const T*, const T*, const T*, const T*, const T*,   \
                                          const T*, std::size_t, std::size_t);                    \
  template void layer_norm_backward_weight(T*, T*, const T*, const T*, const T*, const T*,        \
                                           std::size_t, std::size_t)
FRENZY_INSTANTIATE(float);
FRENZY_INSTANTIATE(double);
#undef FRENZY_INSTANTIATE

}  // namespace frenzy::executor::cpu::reference
