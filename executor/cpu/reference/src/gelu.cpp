#include <cmath>
#include <numbers>

#include "operations.hpp"

namespace frenzy::executor::cpu::reference {
namespace {

constexpr double kCubic = 0.044715;
constexpr double kSqrtTwoOverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

template <class T>
T tanh_argument(T x) {
  return static_cast<T>(kSqrtTwoOverPi) * (x + static_cast<T>(kCubic) * x * x * x);
}

}  // namespace

template <class T>
void gelu(T* out, const T* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = x[i] / T{2} * (T{1} + std::tanh(tanh_argument(x[i])));
  }
}

template <class T>
void gelu_backward(T* gradient, const T* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T t = std::tanh(tanh_argument(x[i]));
    const T inner = static_cast<T>(kSqrtTwoOverPi) * (T{1} + static_cast<T>(3 * kCubic) * x[i] * x[i]);
    gradient[i] *= (T{1} + t) / T{2} + x[i] / T{2} * (T{1} - t * t) * inner;
  }
}

template void gelu(float*, const float*, std::size_t);
template void gelu(double*, const double*, std::size_t);
template void gelu_backward(float*, const float*, std::size_t);
template void gelu_backward(double*, const double*, std::size_t);

}  // namespace frenzy::executor::cpu::reference
