// Bias, residual, GELU, optimizers, sums.

namespace frenzy::executor::cpu {
namespace {

constexpr float kSqrtTwoOverPi = 0.7978845608F;
constexpr float kCubic = 0.044715F;

/// Logistic function of 2 sqrt(2/pi) (x + 0.044715 x^3): gelu(x) = x times it, since
/// (1 + tanh u) / 2 = 1 / (1 + e^-2u).
inline Lanes gelu_gate(Lanes x) {
  const Lanes u = x * (1.0F + x * x * kCubic);
  return 1.0F / (1.0F + exp(u * (-2.0F * kSqrtTwoOverPi)));
}

void bias(float* y, const float* b, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const p = y + row * width;
    for_lanes(width, [=](std::size_t i, auto at) { at.put(p + i, at.get(p + i) + at.get(b + i)); });
  }
}

void bias_residual(float* y, const float* b, const float* residual, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const p = y + row * width;
    const float* const r = residual + row * width;
    for_lanes(width, [=](std::size_t i, auto at) {
      at.put(p + i, (at.get(p + i) + at.get(b + i)) + at.get(r + i));
    });
  }
}

void bias_gelu(float* out, float* y, const float* b, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const p = y + row * width;
    float* const o = out + row * width;
    for_lanes(width, [=](std::size_t i, auto at) {
      const Lanes x = at.get(p + i) + at.get(b + i);
      at.put(p + i, x);
      at.put(o + i, x * gelu_gate(x));
    });
  }
}

void gelu(float* out, const float* x, std::size_t count) {
  for_lanes(count, [=](std::size_t i, auto at) {
    const Lanes value = at.get(x + i);
    at.put(out + i, value * gelu_gate(value));
  });
}

// With s the gate and v its argument: (x s)' = s + x s (1 - s) v'.
void gelu_backward(float* gradient, const float* x, std::size_t count) {
  for_lanes(count, [=](std::size_t i, auto at) {
    const Lanes value = at.get(x + i);
    const Lanes s = gelu_gate(value);
    const Lanes slope = 2.0F * kSqrtTwoOverPi * (1.0F + value * value * (3.0F * kCubic));
    at.put(gradient + i, at.get(gradient + i) * (s + value * slope * (s * (1.0F - s))));
  });
}

void column_sums(float* out, const float* y, std::size_t rows, std::size_t width, std::size_t columns) {
  constexpr std::size_t kWide = 8 * kLanes;
  for (std::size_t c = 0; c < columns; c += kWide) {
    Lanes sum[8] = {};
    const std::size_t wide = smaller(kWide, columns - c);
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const p = y + row * width + c;
      for_lanes(wide, [&](std::size_t i, auto at) { sum[i / kLanes] += at.get(p + i); });
    }
    for_lanes(wide, [&](std::size_t i, auto at) {
      at.put(out + c + i, at.get(out + c + i) + sum[i / kLanes]);
    });
  }
}

// Explicit vectors, so that an element's bits do not depend on where its range begins.
void adamw(float* w, float* m, float* v, const float* gradient, std::size_t count, const AdamwFactors& factors) {
  const AdamwFactors f = factors;
  for_lanes(count, [=](std::size_t i, auto at) {
    const Lanes g = f.gradient_scale * at.get(gradient + i);
    const Lanes first = f.beta1 * at.get(m + i) + (1.0F - f.beta1) * g;
    const Lanes second = f.beta2 * at.get(v + i) + (1.0F - f.beta2) * g * g;
    at.put(m + i, first);
    at.put(v + i, second);
    at.put(w + i, f.keep * at.get(w + i) - f.rate * first / (square_root(second) / f.root + f.epsilon));
  });
}

void sgd(float* w, const float* gradient, std::size_t count, float gradient_scale, float rate, float decay) {
  for_lanes(count, [=](std::size_t i, auto at) {
    const Lanes value = at.get(w + i);
    at.put(w + i, value - rate * (gradient_scale * at.get(gradient + i) + decay * value));
  });
}

void add(float* into, const float* from, std::size_t count) {
  for_lanes(count, [=](std::size_t i, auto at) { at.put(into + i, at.get(into + i) + at.get(from + i)); });
}

// Sixteen sums whatever the vector width; squares of floats are exact in double: one result everywhere.
double squared_norm(const float* x, std::size_t count) {
  double sums[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (std::size_t j = 0; j < 16; ++j) {
      const auto value = static_cast<double>(x[i + j]);
      sums[j] += value * value;
    }
  }
  for (; i < count; ++i) sums[i % 16] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0.0;
  for (const double one : sums) sum += one;
  return sum;
}

// Softmax, loss and gradient in place: exp in one sweep, scale in another.
void cross_entropy_row(float* l, double* loss, std::int32_t target, std::size_t vocabulary) {
  float largest = l[0];
  Lanes most = splat(largest);
  std::size_t i = 0;
  for (; i + kLanes <= vocabulary; i += kLanes) most = larger(most, load(l + i));
  for (; i < vocabulary; ++i) largest = l[i] > largest ? l[i] : largest;
  const float whole = largest_of(most);
  largest = whole > largest ? whole : largest;
  const auto at_target = static_cast<double>(l[target]);
  Lanes sums{};
  for_lanes(vocabulary, [&](std::size_t at, auto access) {
    const Lanes value = access.only(exp(access.get(l + at) - largest));
    access.put(l + at, value);
    sums += value;
  });
  const float sum = sum_of(sums);
  const float inverse = 1.0F / sum;
  for_lanes(vocabulary, [=](std::size_t at, auto access) { access.put(l + at, access.get(l + at) * inverse); });
  l[target] -= 1.0F;
  *loss = __builtin_log(static_cast<double>(sum)) + static_cast<double>(largest) - at_target;
}

void cross_entropy(float* logits, double* losses, const std::int32_t* targets, std::size_t rows,
                   std::size_t vocabulary) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const l = logits + row * vocabulary;
    if (targets[row] >= 0) {
      cross_entropy_row(l, losses + row, targets[row], vocabulary);
      continue;
    }
    losses[row] = 0.0;
    for_lanes(vocabulary, [=](std::size_t i, auto at) { at.put(l + i, Lanes{}); });
  }
}

}  // namespace
}  // namespace frenzy::executor::cpu
