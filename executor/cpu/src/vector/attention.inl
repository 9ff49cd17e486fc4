// Causal flash attention of one head (Dao et al. 2022, algorithms 1 and 4) in tiles of kTile x kTile:
// forward keeps a running maximum and sum a row, backward computes P again from the kept log-sum-exp.
// Tiles above the diagonal are never visited. Packed operands are zero beyond head and sequence.

namespace frenzy::executor::cpu {
namespace {

inline std::size_t padded(std::size_t size) { return (size + kPad - 1) / kPad * kPad; }

/// rows of x times factor to out, rows `columns` long, zero beyond size.
void pack_rows(float* out, std::size_t columns, const float* x, std::size_t stride, std::size_t rows,
               std::size_t size, float factor) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const to = out + row * columns;
    const float* const from = x + row * stride;
    for_lanes(size, [=](std::size_t i, auto at) { at.put(to + i, at.get(from + i) * factor); });
    for (std::size_t i = size; i < columns; ++i) to[i] = 0.0F;
  }
}

/// Tiles of kTile columns: out[tile][d][j] = x[tile kTile + j][d], zero beyond rows.
void pack_transposed(float* out, std::size_t columns, const float* x, std::size_t stride, std::size_t rows,
                     std::size_t size) {
  for (std::size_t first = 0; first < rows; first += kTile, out += columns * kTile) {
    const std::size_t count = smaller(kTile, rows - first);
    for (std::size_t d = 0; d < size; ++d) {
      for (std::size_t j = 0; j < count; ++j) out[d * kTile + j] = x[(first + j) * stride + d];
      for (std::size_t j = count; j < kTile; ++j) out[d * kTile + j] = 0.0F;
    }
  }
}

void fill_zero(float* x, std::size_t count) {
  for_lanes(count, [=](std::size_t i, auto at) { at.put(x + i, Lanes{}); });
}

inline float score_scale(const AttentionHead& h) {
  return 1.0F / __builtin_sqrtf(static_cast<float>(h.size));
}

struct RunningRow {
  float largest, sum;
};

/// Scores become exp(score - running maximum); the row of sums in `out` is rescaled to it.
void soften_row(float* scores, float* out, RunningRow& running, std::size_t columns) {
  Lanes most = splat(running.largest);
#pragma GCC unroll 4
  for (std::size_t j = 0; j < kTile; j += kLanes) most = larger(most, load(scores + j));
  const float largest = largest_of(most);
  Lanes sums{};
#pragma GCC unroll 4
  for (std::size_t j = 0; j < kTile; j += kLanes) {
    const Lanes p = exp(load(scores + j) - largest);
    store(scores + j, p);
    sums += p;
  }
  if (largest != running.largest) {
    const float correction = exp(splat(running.largest - largest))[0];
    running.sum *= correction;
    for (std::size_t i = 0; i < columns; i += kLanes) store(out + i, load(out + i) * correction);
    running.largest = largest;
  }
  running.sum += sum_of(sums);
}

void mask_diagonal(float* scores, std::size_t rows, float value) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = row + 1; j < kTile; ++j) scores[row * kTile + j] = value;
  }
}

void attention(float* out, const AttentionHead& h) {
  const std::size_t columns = padded(h.size);
  const std::size_t tile = columns * kTile;
  const std::size_t whole = (h.sequence + kTile - 1) / kTile * tile;
  float* const keys = h.scratch;
  float* const values = keys + whole;
  float* const query = values + whole;
  float* const sums = query + tile;
  float* const scores = sums + tile;
  RunningRow running[kTile];
  pack_transposed(keys, columns, h.key, h.stride, h.sequence, h.size);
  pack_rows(values, columns, h.value, h.stride, h.sequence, h.size, 1.0F);
  for (std::size_t first = 0; first < h.sequence; first += kTile) {
    const std::size_t rows = smaller(kTile, h.sequence - first);
    pack_rows(query, columns, h.query + first * h.stride, h.stride, rows, h.size, score_scale(h));
    fill_zero(sums, rows * columns);
    for (auto& one : running) one = {-__builtin_inff(), 0.0F};
    for (std::size_t other = 0; other <= first; other += kTile) {
      const std::size_t count = smaller(kTile, h.sequence - other);
      small_product<false>({rows, kTile, h.size, scores, kTile, query, columns, 1, keys + other * columns, kTile});
      if (other == first) mask_diagonal(scores, rows, -__builtin_inff());
      for (std::size_t i = 0; i < rows; ++i) soften_row(scores + i * kTile, sums + i * columns, running[i], columns);
      small_product<true>({rows, columns, count, sums, columns, scores, kTile, 1, values + other * columns, columns});
    }
    for (std::size_t i = 0; i < rows; ++i) {
      pack_rows(out + (first + i) * h.out_stride, h.size, sums + i * columns, columns, 1, h.size,
                1.0F / running[i].sum);
      h.statistic[first + i] = running[i].largest + __builtin_logf(running[i].sum);
    }
  }
}

/// Buffers of one head's backward pass inside its scratch.
struct BackwardScratch {
  float *keys_t, *values_t, *keys, *queries, *d_outs, *d_queries, *d_key, *d_value, *p, *ds;
};

BackwardScratch prepare(const AttentionHead& h, const AttentionHeadGradient& g, std::size_t columns) {
  const std::size_t tile = columns * kTile;
  const std::size_t whole = (h.sequence + kTile - 1) / kTile * tile;
  float* next = h.scratch;
  const auto take = [&next](std::size_t count) {
    float* const taken = next;
    next += count;
    return taken;
  };
  const BackwardScratch s{take(whole), take(whole), take(whole), take(whole), take(whole), take(whole),
                          take(tile),  take(tile),  take(kTile * kTile), take(kTile * kTile)};
  pack_transposed(s.keys_t, columns, h.key, h.stride, h.sequence, h.size);
  pack_transposed(s.values_t, columns, h.value, h.stride, h.sequence, h.size);
  pack_rows(s.keys, columns, h.key, h.stride, h.sequence, h.size, 1.0F);
  pack_rows(s.queries, columns, h.query, h.stride, h.sequence, h.size, score_scale(h));
  pack_rows(s.d_outs, columns, g.d_out, h.out_stride, h.sequence, h.size, 1.0F);
  fill_zero(s.d_queries, h.sequence * columns);
  for (std::size_t row = 0; row < h.sequence; ++row) {
    Lanes sum{};
    for_lanes(h.size, [&](std::size_t i, auto at) {
      sum += at.get(g.d_out + row * h.out_stride + i) * at.get(g.out + row * h.out_stride + i);
    });
    g.row_dot[row] = sum_of(sum);
  }
  return s;
}

/// p holds scores and ds dP; they become P = exp(score - statistic) and dS = P (dP - row_dot).
void score_gradients(float* p, float* ds, const float* statistic, const float* row_dot, std::size_t rows,
                     bool diagonal) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const one = p + row * kTile;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kTile; j += kLanes) store(one + j, exp(load(one + j) - statistic[row]));
  }
  if (diagonal) mask_diagonal(p, rows, 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    float* const d = ds + row * kTile;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kTile; j += kLanes) {
      store(d + j, load(p + row * kTile + j) * (load(d + j) - row_dot[row]));
    }
  }
}

void attention_backward(const AttentionHead& h, const AttentionHeadGradient& g) {
  const std::size_t columns = padded(h.size);
  const auto s = prepare(h, g, columns);
  for (std::size_t key = 0; key < h.sequence; key += kTile) {
    const std::size_t count = smaller(kTile, h.sequence - key);
    fill_zero(s.d_key, count * columns);
    fill_zero(s.d_value, count * columns);
    for (std::size_t query = key; query < h.sequence; query += kTile) {
      const std::size_t rows = smaller(kTile, h.sequence - query);
      const float* const q = s.queries + query * columns;
      const float* const d_out = s.d_outs + query * columns;
      small_product<false>({rows, kTile, h.size, s.p, kTile, q, columns, 1, s.keys_t + key * columns, kTile});
      small_product<false>({rows, kTile, h.size, s.ds, kTile, d_out, columns, 1, s.values_t + key * columns, kTile});
      score_gradients(s.p, s.ds, h.statistic + query, g.row_dot + query, rows, query == key);
      small_product<true>({count, columns, rows, s.d_value, columns, s.p, 1, kTile, d_out, columns});
      small_product<true>({count, columns, rows, s.d_key, columns, s.ds, 1, kTile, q, columns});
      small_product<true>({rows, columns, count, s.d_queries + query * columns, columns, s.ds, kTile, 1,
                           s.keys + key * columns, columns});
    }
    for (std::size_t j = 0; j < count; ++j) {
      pack_rows(g.d_key + (key + j) * h.stride, h.size, s.d_key + j * columns, columns, 1, h.size, 1.0F);
      pack_rows(g.d_value + (key + j) * h.stride, h.size, s.d_value + j * columns, columns, 1, h.size, 1.0F);
    }
  }
  for (std::size_t i = 0; i < h.sequence; ++i) {
    pack_rows(g.d_query + i * h.stride, h.size, s.d_queries + i * columns, columns, 1, h.size, score_scale(h));
  }
}

}  // namespace
}  // namespace frenzy::executor::cpu
