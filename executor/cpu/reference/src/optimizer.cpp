#include <cmath>

#include "operations.hpp"

namespace frenzy::executor::cpu::reference {
namespace {

// Loshchilov and Hutter 2019, algorithm 2, in PyTorch's order: decay first, epsilon outside the
// corrected root.
template <class T>
void adamw(const OptimizerCall& call, T* w, T* m, T* v, const T* gradient, std::size_t count) {
  const auto& r = *call.recipe;
  const auto t = static_cast<double>(call.step);
  const T b1 = static_cast<T>(r.beta1), b2 = static_cast<T>(r.beta2);
  const T keep = static_cast<T>(1.0 - call.rate * call.weight_decay);
  const T rate = static_cast<T>(call.rate / (1.0 - std::pow(r.beta1, t)));
  const T root = static_cast<T>(std::sqrt(1.0 - std::pow(r.beta2, t)));
  for (std::size_t i = 0; i < count; ++i) {
    const T g = static_cast<T>(call.gradient_scale) * gradient[i];
    m[i] = b1 * m[i] + (T{1} - b1) * g;
    v[i] = b2 * v[i] + (T{1} - b2) * g * g;
    w[i] = keep * w[i] - rate * m[i] / (std::sqrt(v[i]) / root + static_cast<T>(r.epsilon));
  }
}

template <class T>
void sgd(const OptimizerCall& call, T* w, const T* gradient, std::size_t count) {
  const T rate = static_cast<T>(call.rate), decay = static_cast<T>(call.weight_decay);
  for (std::size_t i = 0; i < count; ++i) {
    w[i] -= rate * (static_cast<T>(call.gradient_scale) * gradient[i] + decay * w[i]);
  }
}

}  // namespace

template <class T>
void optimize(const OptimizerCall& call) {
  const std::size_t count = call.weights.size() / sizeof(T);
  switch (call.recipe->optimizer) {
    case model::OptimizerKind::adamw:
      return adamw(call, elements<T>(call.weights), elements<T>(call.moment1),
                   elements<T>(call.moment2), elements<T>(call.gradient), count);
    case model::OptimizerKind::sgd:
      return sgd(call, elements<T>(call.weights), elements<T>(call.gradient), count);
  }
}

template void optimize<float>(const OptimizerCall&);
template void optimize<double>(const OptimizerCall&);

}  // namespace frenzy::executor::cpu::reference
