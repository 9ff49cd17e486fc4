#include "gemm.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "frenzy/base/rng.hpp"

using namespace frenzy;
using namespace frenzy::executor::cpu;

namespace {

std::vector<float> random_values(Rng& rng, std::size_t count) {
  std::vector<float> out(count);
  for (auto& value : out) value = static_cast<float>(rng.uniform() - 0.5);
  return out;
}

GemmShape random_shape(Rng& rng) {
  GemmShape s{.m = 1 + rng.below(90), .n = 1 + rng.below(150), .k = 1 + rng.below(300)};
  s.a = rng.below(2) == 0 ? Transpose::no : Transpose::yes;
  s.b = rng.below(2) == 0 ? Transpose::no : Transpose::yes;
  s.accumulate = rng.below(2) == 0 ? Accumulate::no : Accumulate::yes;
  s.a_stride = (s.a == Transpose::no ? s.k : s.m) + rng.below(9);
  s.b_stride = (s.b == Transpose::no ? s.n : s.k) + rng.below(9);
  s.c_stride = s.n + rng.below(9);
  return s;
}

std::size_t stored(std::size_t rows, std::size_t columns, std::size_t stride, Transpose transpose) {
  return (transpose == Transpose::no ? rows : columns) * stride;
}

void run(Gemm& gemm, const GemmShape& s, std::vector<float>& c, const std::vector<float>& a,
         const std::vector<float>& b) {
  std::vector<std::byte> scratch(gemm.scratch_bytes(s).value + 64);
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  gemm.run(s, c.data(), a.data(), b.data(), {scratch.data() + (64 - address % 64) % 64, scratch.size() - 64});
}

/// The definition, in double.
double element(const GemmShape& s, const std::vector<float>& a, const std::vector<float>& b, std::size_t row,
               std::size_t column) {
  double sum = 0.0;
  for (std::size_t k = 0; k < s.k; ++k) {
    const auto left = a[s.a == Transpose::no ? row * s.a_stride + k : k * s.a_stride + row];
    const auto right = b[s.b == Transpose::no ? k * s.b_stride + column : column * s.b_stride + k];
    sum += static_cast<double>(left) * static_cast<double>(right);
  }
  return sum;
}

void check_products(Gemm& gemm, const GemmShape& s, Rng& rng) {
  const auto a = random_values(rng, stored(s.m, s.k, s.a_stride, s.a));
  const auto b = random_values(rng, stored(s.k, s.n, s.b_stride, s.b));
  auto c = random_values(rng, s.m * s.c_stride);
  const auto before = c;
  run(gemm, s, c, a, b);
  bool right = true, untouched = true;
  for (std::size_t row = 0; row < s.m; ++row) {
    for (std::size_t column = 0; column < s.c_stride; ++column) {
      const std::size_t at = row * s.c_stride + column;
      if (column >= s.n) {
        untouched = untouched && c[at] == before[at];
        continue;
      }
      const double base = s.accumulate == Accumulate::yes ? static_cast<double>(before[at]) : 0.0;
      right = right && std::abs(static_cast<double>(c[at]) - base - element(s, a, b, row, column)) <= 1e-5;
    }
  }
  CHECK(right);
  CHECK(untouched);
}

}  // namespace

TEST_CASE("matrix products are right for odd sizes, strides, transposes and sums", "[executor][gemm]") {
  for (auto* const make : {make_plain_gemm, make_onednn_gemm}) {
    const auto gemm = make();
    if (gemm == nullptr) continue;
    Rng rng(1);
    for (int i = 0; i < 60; ++i) {
      const auto s = random_shape(rng);
      INFO(s.m << " x " << s.n << " x " << s.k);
      check_products(*gemm, s, rng);
    }
  }
}

TEST_CASE("a product without terms is zero or leaves its sum", "[executor][gemm]") {
  for (auto* const make : {make_plain_gemm, make_onednn_gemm}) {
    const auto gemm = make();
    if (gemm == nullptr) continue;
    std::vector<float> c{1.0F, 2.0F};
    gemm->run({.m = 1, .n = 2, .k = 0, .c_stride = 2, .accumulate = Accumulate::yes}, c.data(), nullptr, nullptr, {});
    CHECK(c == std::vector<float>{1.0F, 2.0F});
    gemm->run({.m = 1, .n = 2, .k = 0, .c_stride = 2}, c.data(), nullptr, nullptr, {});
    CHECK(c == std::vector<float>{0.0F, 0.0F});
    gemm->run({.m = 0, .n = 2, .k = 3, .a_stride = 3, .b_stride = 2, .c_stride = 2}, c.data(), nullptr, nullptr, {});
  }
}
