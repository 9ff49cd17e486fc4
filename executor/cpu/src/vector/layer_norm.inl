// Layer normalisation, one row at a time; formulas as in reference/src/operations.hpp.

namespace frenzy::executor::cpu {
namespace {

void normalise_row(float* out, const float* x, float mean, float rstd, const float* weight,
                   const float* b, std::size_t width) {
  for_lanes(width, [=](std::size_t i, auto at) {
    at.put(out + i, (at.get(x + i) - mean) * rstd * at.get(weight + i) + at.get(b + i));
  });
}

void layer_norm(float* out, float* mean, float* rstd, const float* x, const float* weight, const float* b,
                std::size_t rows, std::size_t width, float epsilon) {
  const auto count = static_cast<float>(width);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const in = x + row * width;
    Lanes sum{};
    for_lanes(width, [&](std::size_t i, auto at) { sum += at.get(in + i); });
    const float average = sum_of(sum) / count;
    Lanes squares{};
    for_lanes(width, [&](std::size_t i, auto at) {
      const Lanes d = at.only(at.get(in + i) - average);
      squares += d * d;
    });
    mean[row] = average;
    rstd[row] = 1.0F / __builtin_sqrtf(sum_of(squares) / count + epsilon);
    normalise_row(out + row * width, in, mean[row], rstd[row], weight, b, width);
  }
}

void layer_norm_again(float* out, const float* mean, const float* rstd, const float* x, const float* weight,
                      const float* b, std::size_t rows, std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) {
    normalise_row(out + row * width, x + row * width, mean[row], rstd[row], weight, b, width);
  }
}

void layer_norm_backward(float* dx, const float* residual, const float* d_out, const float* x,
                         const float* mean, const float* rstd, const float* weight, std::size_t rows,
                         std::size_t width) {
  const auto count = static_cast<float>(width);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const d = d_out + row * width;
    const float* const in = x + row * width;
    const float m = mean[row], r = rstd[row];
    Lanes sums{}, dots{};
    for_lanes(width, [&](std::size_t i, auto at) {
      const Lanes g = at.get(d + i) * at.get(weight + i);
      sums += g;
      dots += g * ((at.get(in + i) - m) * r);
    });
    const float sum = sum_of(sums) / count, dot = sum_of(dots) / count;
    const float* const base = residual == nullptr ? nullptr : residual + row * width;
    float* const to = dx + row * width;
    for_lanes(width, [=](std::size_t i, auto at) {
      const Lanes h = (at.get(in + i) - m) * r;
      const Lanes value = r * (at.get(d + i) * at.get(weight + i) - sum - h * dot);
      at.put(to + i, base == nullptr ? value : at.get(base + i) + value);
    });
  }
}

void layer_norm_backward_weight(float* d_weight, float* d_bias, const float* d_out, const float* x,
                                const float* mean, const float* rstd, std::size_t rows, std::size_t width,
                                std::size_t columns) {
  constexpr std::size_t kWide = 4 * kLanes;
  for (std::size_t c = 0; c < columns; c += kWide) {
    Lanes weights[4] = {}, biases[4] = {};
    const std::size_t wide = smaller(kWide, columns - c);
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const d = d_out + row * width + c;
      const float* const in = x + row * width + c;
      const float m = mean[row], r = rstd[row];
      for_lanes(wide, [&](std::size_t i, auto at) {
        const Lanes g = at.get(d + i);
        weights[i / kLanes] += g * ((at.get(in + i) - m) * r);
        biases[i / kLanes] += g;
      });
    }
    for_lanes(wide, [&](std::size_t i, auto at) {
      at.put(d_weight + c + i, at.get(d_weight + c + i) + weights[i / kLanes]);
      at.put(d_bias + c + i, at.get(d_bias + c + i) + biases[i / kLanes]);
    });
  }
}

}  // namespace
}  // namespace frenzy::executor::cpu
