// C (+)= A B for attention tiles: registers hold a block of C, A is read one element at a time with
// any strides (so transposing it is free), B in whole vectors. n is a multiple of kPad.

namespace frenzy::executor::cpu {
namespace {

constexpr std::size_t kBlockRows = 6;
// 12 or 24 accumulators: what 16 or 32 registers leave room for.
constexpr std::size_t kBlockVectors = FRENZY_VECTOR_BYTES == 64 ? 4 : 2;

struct SmallProduct {
  std::size_t m, n, k;
  float* c;
  std::size_t c_stride;
  const float* a;
  std::size_t a_row_step, a_column_step;
  const float* b;
  std::size_t b_stride;
};

template <std::size_t Rows, std::size_t Vectors, bool Accumulates>
inline void product_block(const SmallProduct& p, std::size_t row, std::size_t column) {
  Lanes sum[Rows][Vectors];
  float* const c = p.c + row * p.c_stride + column;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < Vectors; ++j) {
      sum[i][j] = Accumulates ? load(c + i * p.c_stride + j * kLanes) : Lanes{};
    }
  }
  const float* a = p.a + row * p.a_row_step;
  const float* b = p.b + column;
  for (std::size_t k = 0; k < p.k; ++k, a += p.a_column_step, b += p.b_stride) {
    Lanes right[Vectors];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < Vectors; ++j) right[j] = load(b + j * kLanes);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Rows; ++i) {
      const float left = a[i * p.a_row_step];
#pragma GCC unroll 8
      for (std::size_t j = 0; j < Vectors; ++j) sum[i][j] += left * right[j];
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < Vectors; ++j) store(c + i * p.c_stride + j * kLanes, sum[i][j]);
  }
}

template <std::size_t Rows, bool Accumulates>
void product_rows(const SmallProduct& p, std::size_t row) {
  std::size_t column = 0;
  for (; column + kBlockVectors * kLanes <= p.n; column += kBlockVectors * kLanes) {
    product_block<Rows, kBlockVectors, Accumulates>(p, row, column);
  }
  for (; column < p.n; column += kLanes) product_block<Rows, 1, Accumulates>(p, row, column);
}

template <bool Accumulates>
void small_product(const SmallProduct& p) {
  std::size_t row = 0;
  for (; row + kBlockRows <= p.m; row += kBlockRows) product_rows<kBlockRows, Accumulates>(p, row);
  switch (p.m - row) {
    case 1: return product_rows<1, Accumulates>(p, row);
    case 2: return product_rows<2, Accumulates>(p, row);
    case 3: return product_rows<3, Accumulates>(p, row);
    case 4: return product_rows<4, Accumulates>(p, row);
    case 5: return product_rows<5, Accumulates>(p, row);
    default: return;
  }
}

}  // namespace
}  // namespace frenzy::executor::cpu
