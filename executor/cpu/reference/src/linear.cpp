#include "operations.hpp"

namespace frenzy::executor::cpu::reference {

template <class T>
void linear(T* y, const T* x, const T* weight, const T* bias, std::size_t rows, std::size_t in,
            std::size_t out) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t o = 0; o < out; ++o) {
      T sum = 0;
      for (std::size_t i = 0; i < in; ++i) sum += x[row * in + i] * weight[o * in + i];
      y[row * out + o] = bias == nullptr ? sum : sum + bias[o];
    }
  }
}

template <class T>
void linear_backward_input(T* dx, const T* dy, const T* weight, std::size_t rows, std::size_t in,
                           std::size_t out) {
  for (std::size_t row = 0; row < rows; ++row) {
    T* d = dx + row * in;
    for (std::size_t i = 0; i < in; ++i) d[i] = 0;
    for (std::size_t o = 0; o < out; ++o) {
      const T g = dy[row * out + o];
      for (std::size_t i = 0; i < in; ++i) d[i] += g * weight[o * in + i];
    }
  }
}

template <class T>
void linear_backward_weight(T* d_weight, T* d_bias, const T* dy, const T* x, std::size_t rows,
                            std::size_t in, std::size_t out) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t o = 0; o < out; ++o) {
      const T g = dy[row * out + o];
      for (std::size_t i = 0; i < in; ++i) d_weight[o * in + i] += g * x[row * in + i];
      if (d_bias != nullptr) d_bias[o] += g;
    }
  }
}

#define FRENZY_INSTANTIATE(T)                                                                      \
  template void linear(T*, const T*, const T*, const T*, std::size_t, std::size_t, std::size_t);   \
  template void linear_backward_input(T*, const T*, const T*, std::size_t, std::size_t,            \
                                      std::size_t);                                                \
  template void linear_backward_weight(T*, T*, const T*, const T*, std::size_t, std::size_t,       \
                                       std::size_t)
FRENZY_INSTANTIATE(float);
FRENZY_INSTANTIATE(double);
#undef FRENZY_INSTANTIATE

}  // namespace frenzy::executor::cpu::reference
