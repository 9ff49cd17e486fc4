#include <cmath>
#include <limits>

#include "operations.hpp"

namespace frenzy::executor::cpu::reference {
namespace {

/// One head of one sample inside a T x 3C array.
template <class T>
struct HeadRows {
  T* base;
  std::size_t hidden;
  [[nodiscard]] T* query(std::size_t row) const { return base + row * 3 * hidden; }
  [[nodiscard]] T* key(std::size_t row) const { return query(row) + hidden; }
  [[nodiscard]] T* value(std::size_t row) const { return query(row) + 2 * hidden; }
};

template <class T>
HeadRows<T> head_rows(T* qkv, AttentionShape s, std::size_t sample, std::size_t head) {
  return {qkv + sample * s.sequence * 3 * s.hidden() + head * s.head_size, s.hidden()};
}

template <class T>
T dot(const T* a, const T* b, std::size_t count) {
  T sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// log of the sum of exp(scaled score) of one causal row, in one pass with a running maximum.
template <class T>
T log_sum_exp(const HeadRows<const T>& head, std::size_t row, std::size_t size, T scale) {
  T largest = -std::numeric_limits<T>::infinity();
  T sum = 0;
  for (std::size_t j = 0; j <= row; ++j) {
    const T score = scale * dot(head.query(row), head.key(j), size);
    if (score > largest) {
      sum *= std::exp(largest - score);
      largest = score;
    }
    sum += std::exp(score - largest);
  }
  return largest + std::log(sum);
}

template <class T>
void attend_row(T* out, const HeadRows<const T>& head, std::size_t row, T statistic,
                std::size_t size, T scale) {
  for (std::size_t d = 0; d < size; ++d) out[d] = 0;
  for (std::size_t j = 0; j <= row; ++j) {
    const T p = std::exp(scale * dot(head.query(row), head.key(j), size) - statistic);
    for (std::size_t d = 0; d < size; ++d) out[d] += p * head.value(j)[d];
  }
}

template <class T>
struct RowGradient {
  const T* d_out;
  T statistic, row_dot, scale;
};

/// Adds what one row of scores gives to dQ, dK and dV (Dao et al. 2022, appendix B.4).
template <class T>
void attend_row_backward(const HeadRows<T>& gradient, const HeadRows<const T>& head,
                         std::size_t row, std::size_t size, const RowGradient<T>& g) {
  for (std::size_t j = 0; j <= row; ++j) {
    const T p = std::exp(g.scale * dot(head.query(row), head.key(j), size) - g.statistic);
    const T ds = g.scale * p * (dot(g.d_out, head.value(j), size) - g.row_dot);
    for (std::size_t d = 0; d < size; ++d) {
      gradient.value(j)[d] += p * g.d_out[d];
      gradient.query(row)[d] += ds * head.key(j)[d];
      gradient.key(j)[d] += ds * head.query(row)[d];
    }
  }
}

template <class T>
T score_scale(AttentionShape s) {
  return T{1} / std::sqrt(static_cast<T>(s.head_size));
}

}  // namespace

template <class T>
void attention(T* out, T* row_statistic, const T* qkv, AttentionShape s) {
  const T scale = score_scale<T>(s);
  for (std::size_t sample = 0; sample < s.samples; ++sample) {
    for (std::size_t h = 0; h < s.heads; ++h) {
      const auto head = head_rows(qkv, s, sample, h);
      for (std::size_t row = 0; row < s.sequence; ++row) {
        const T statistic = log_sum_exp(head, row, s.head_size, scale);
        row_statistic[(sample * s.heads + h) * s.sequence + row] = statistic;
        T* const to = out + (sample * s.sequence + row) * s.hidden() + h * s.head_size;
        attend_row(to, head, row, statistic, s.head_size, scale);
      }
    }
  }
}

template <class T>
void attention_backward(T* d_qkv, T* row_dot, const T* d_out, const T* out, const T* row_statistic,
                        const T* qkv, AttentionShape s) {
  const T scale = score_scale<T>(s);
  const std::size_t count = s.samples * s.sequence * 3 * s.hidden();
  for (std::size_t i = 0; i < count; ++i) d_qkv[i] = 0;
  for (std::size_t sample = 0; sample < s.samples; ++sample) {
    for (std::size_t h = 0; h < s.heads; ++h) {
      const auto head = head_rows(qkv, s, sample, h);
      const auto gradient = head_rows(d_qkv, s, sample, h);
      for (std::size_t row = 0; row < s.sequence; ++row) {
        const std::size_t statistic = (sample * s.heads + h) * s.sequence + row;
        const std::size_t at = (sample * s.sequence + row) * s.hidden() + h * s.head_size;
        row_dot[statistic] = dot(d_out + at, out + at, s.head_size);
        attend_row_backward(gradient, head, row, s.head_size,
                            {d_out + at, row_statistic[statistic], row_dot[statistic], scale});
      }
    }
  }
}

#define FRENZY_INSTANTIATE(T)                                                              \
  template void attention(T*, T*, const T*, AttentionShape);                               \
  template void attention_backward(T*, T*, const T*, const T*, const T*, const T*, AttentionShape)
FRENZY_INSTANTIATE(float);
FRENZY_INSTANTIATE(double);
#undef FRENZY_INSTANTIATE

}  // namespace frenzy::executor::cpu::reference
