#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "frenzy/base/rng.hpp"
#include "vector/kernels.hpp"

using namespace frenzy;
using namespace frenzy::executor::cpu;

namespace {

std::vector<const VectorKernels*> variants() {
  std::vector<const VectorKernels*> out{&portable_kernels()};
  const std::string best = best_vector_kernels().name;
#ifdef FRENZY_X86_VECTORS
  if (best != "portable") out.push_back(&avx2_kernels());
#endif
  if (best != "portable" && best != "avx2") out.push_back(&best_vector_kernels());
  return out;
}

double exact_gelu(double x) {
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
}

}  // namespace

TEST_CASE("vector GELU and its derivative follow the tanh form over all magnitudes", "[executor][vector]") {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) * 0.004F);
  for (const float far : {-1e30F, -200.0F, 200.0F, 1e18F, 0.0F, 1e-30F}) x.push_back(far);
  for (const auto* const kernels : variants()) {
    INFO(kernels->name);
    std::vector<float> y(x.size()), slope(x.size(), 1.0F);
    kernels->gelu(y.data(), x.data(), x.size());
    kernels->gelu_backward(slope.data(), x.data(), 8001);
    bool right = true, slopes = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<double>(x[i]);
      right = right && std::abs(static_cast<double>(y[i]) - exact_gelu(at)) <= 1e-6 * std::max(1.0, std::abs(at));
      if (i > 8000) continue;
      const double expected = (exact_gelu(at + 1e-5) - exact_gelu(at - 1e-5)) / 2e-5;
      slopes = slopes && std::abs(static_cast<double>(slope[i]) - expected) <= 2e-6;
    }
    CHECK(right);
    CHECK(slopes);
  }
}

TEST_CASE("cross-entropy survives large logits and reports exact gradients", "[executor][vector]") {
  for (const auto* const kernels : variants()) {
    INFO(kernels->name);
    for (const std::size_t vocabulary : {1UL, 3UL, 17UL, 100UL}) {
      Rng rng(vocabulary);
      std::vector<float> logits(2 * vocabulary);
      for (auto& logit : logits) logit = static_cast<float>(200.0 * (rng.uniform() - 0.5)) + 5000.0F;
      const auto before = logits;
      const std::vector<std::int32_t> targets{static_cast<std::int32_t>(vocabulary - 1), -1};
      std::vector<double> losses(2, -1.0);
      kernels->cross_entropy(logits.data(), losses.data(), targets.data(), 2, vocabulary);
      double largest = 0.0, sum = 0.0;
      for (std::size_t i = 0; i < vocabulary; ++i) largest = std::max(largest, static_cast<double>(before[i]));
      for (std::size_t i = 0; i < vocabulary; ++i) sum += std::exp(static_cast<double>(before[i]) - largest);
      const double target = static_cast<double>(before[vocabulary - 1]);
      CHECK(losses[0] == Approx(std::log(sum) + largest - target).margin(1e-5));
      CHECK(losses[1] == 0.0);
      bool right = true;
      for (std::size_t i = 0; i < vocabulary; ++i) {
        const double p = std::exp(static_cast<double>(before[i]) - largest) / sum - (i + 1 == vocabulary ? 1.0 : 0.0);
        right = right && std::abs(static_cast<double>(logits[i]) - p) <= 1e-6 && logits[vocabulary + i] == 0.0F;
      }
      CHECK(right);
    }
  }
}

TEST_CASE("every vector variant gives the same squared norm and AdamW step", "[executor][vector]") {
  std::vector<float> x(1003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(counter_normal(3, i));
  const double norm = portable_kernels().squared_norm(x.data(), x.size());
  const AdamwFactors factors{0.5F, 0.99F, 0.01F, 0.9F, 0.95F, 0.3F, 1e-8F};
  std::vector<float> first;
  for (const auto* const kernels : variants()) {
    INFO(kernels->name);
    CHECK(kernels->squared_norm(x.data(), x.size()) == norm);
    std::vector<float> w(x), m(x.size()), v(x.size());
    kernels->adamw(w.data(), m.data(), v.data(), x.data(), x.size(), factors);
    if (first.empty()) first = w;
    bool close = true;
    for (std::size_t i = 0; i < w.size(); ++i) close = close && std::abs(w[i] - first[i]) <= 1e-6F;
    CHECK(close);
  }
}

TEST_CASE("every vector variant gives the same attention", "[executor][vector]") {
  for (const auto& [sequence, size] : {std::pair<std::size_t, std::size_t>{1, 1}, {70, 5}, {130, 33}, {64, 64}}) {
    Rng rng(sequence);
    std::vector<float> qkv(sequence * 3 * size), d_out(sequence * size);
    for (auto& value : qkv) value = static_cast<float>(2.0 * rng.uniform() - 1.0);
    for (auto& value : d_out) value = static_cast<float>(2.0 * rng.uniform() - 1.0);
    std::vector<float> scratch(attention_scratch(sequence, size), std::nanf(""));
    std::vector<float> expected, expected_gradient;
    for (const auto* const kernels : variants()) {
      INFO(kernels->name << " " << sequence << " x " << size);
      std::vector<float> out(d_out.size()), statistic(sequence), row_dot(sequence), gradient(qkv.size());
      const AttentionHead head{sequence, size, 3 * size, size, qkv.data(), qkv.data() + size,
                               qkv.data() + 2 * size, statistic.data(), scratch.data()};
      kernels->attention(out.data(), head);
      kernels->attention_backward(head, {out.data(), d_out.data(), row_dot.data(), gradient.data(),
                                         gradient.data() + size, gradient.data() + 2 * size});
      if (expected.empty()) {
        expected = out;
        expected_gradient = gradient;
      }
      bool close = true;
      for (std::size_t i = 0; i < out.size(); ++i) close = close && std::abs(out[i] - expected[i]) <= 2e-6F;
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        close = close && std::abs(gradient[i] - expected_gradient[i]) <= 1e-5F;
      }
      CHECK(close);
    }
  }
}
