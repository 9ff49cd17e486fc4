#include <algorithm>
#include <array>

#include "gemm.hpp"

namespace frenzy::executor::cpu {
namespace {

constexpr std::size_t kColumns = 64;
constexpr std::size_t kDepth = 128;
using Panel = std::array<std::array<float, kColumns>, kDepth>;

struct Operand {
  const float* data;
  std::size_t row_step, column_step;
  [[nodiscard]] float at(std::size_t row, std::size_t column) const {
    return data[row * row_step + column * column_step];
  }
};

Operand operand(const float* data, std::size_t stride, Transpose transpose) {
  return transpose == Transpose::no ? Operand{data, stride, 1} : Operand{data, 1, stride};
}

void pack(Panel& panel, const Operand& b, std::size_t k0, std::size_t depth, std::size_t n0,
          std::size_t columns) {
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t n = 0; n < kColumns; ++n) {
      panel[k][n] = n < columns ? b.at(k0 + k, n0 + n) : 0.0F;
    }
  }
}

/// One row of C against one panel.
void multiply_row(float* c, const Operand& a, std::size_t row, std::size_t k0, const Panel& panel,
                  std::size_t depth, std::size_t columns) {
  std::array<float, kColumns> sum{};
  for (std::size_t k = 0; k < depth; ++k) {
    const float value = a.at(row, k0 + k);
    for (std::size_t n = 0; n < kColumns; ++n) sum[n] += value * panel[k][n];
  }
  for (std::size_t n = 0; n < columns; ++n) c[n] += sum[n];
}

class PlainGemm final : public Gemm {
 public:
  void run(const GemmShape& s, float* c, const float* a, const float* b, GemmScratch) override {
    if (s.m == 0) return;
    const auto left = operand(a, s.a_stride, s.a), right = operand(b, s.b_stride, s.b);
    if (s.accumulate == Accumulate::no) {
      for (std::size_t row = 0; row < s.m; ++row) std::fill_n(c + row * s.c_stride, s.n, 0.0F);
    }
    Panel panel;
    for (std::size_t n0 = 0; n0 < s.n; n0 += kColumns) {
      const auto columns = std::min(kColumns, s.n - n0);
      for (std::size_t k0 = 0; k0 < s.k; k0 += kDepth) {
        const auto depth = std::min(kDepth, s.k - k0);
        pack(panel, right, k0, depth, n0, columns);
        for (std::size_t row = 0; row < s.m; ++row) {
          multiply_row(c + row * s.c_stride + n0, left, row, k0, panel, depth, columns);
        }
      }
    }
  }
  Bytes scratch_bytes(const GemmShape&) override { return {}; }
};

}  // namespace

std::unique_ptr<Gemm> make_plain_gemm() { return std::make_unique<PlainGemm>(); }

#ifndef FRENZY_HAS_ONEDNN
std::unique_ptr<Gemm> make_onednn_gemm() { return nullptr; }
#endif

std::unique_ptr<Gemm> make_gemm() {
  auto fast = make_onednn_gemm();
  return fast ? std::move(fast) : make_plain_gemm();
}

}  // namespace frenzy::executor::cpu
