#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "backends.hpp"
#include "fixture.hpp"

using namespace frenzy;
using namespace frenzy::executor;
using namespace frenzy::executor::test;

namespace {

constexpr double kRate = 1e-3;

struct Bounds {
  double loss, gradient, weight;
};

// fp64 differs from the files by their one rounding to fp32; the others are the fixture's own bounds.
Bounds bounds_of(model::Scalar scalar) {
  if (scalar == model::Scalar::fp64) return {1e-12, 6.1e-8, 1.3e-7};
  return {3e-6, 1e-5, 1e-5};
}

double largest(const std::vector<double>& values) {
  double out = 0.0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

std::vector<double> part(const std::vector<double>& block, const model::TensorSpec& tensor) {
  const auto begin = block.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(tensor.elements())};
}

void compare_weights(const Fixture& fixture, const ModelRun& run, Fixture::File file, int steps, double bound) {
  const double key_bound = steps * kRate;
  for (std::size_t b = 0; b < run.blocks(); ++b) {
    const auto ours = run.weights(b);
    for (const auto& tensor : run.layout()[b].tensors) {
      const auto expected = fixture.read(file, tensor);
      const auto actual = part(ours, tensor);
      const bool has_key_bias = tensor.name.ends_with("c_attn.bias");
      double worst = 0.0, worst_key = 0.0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool key = has_key_bias && i / fixture.spec.hidden == 1;
        auto& w = key ? worst_key : worst;
        w = std::max(w, std::abs(actual[i] - expected[i]));
      }
      INFO(tensor.name);
      CHECK(worst <= bound);
      CHECK(worst_key <= key_bound);
    }
  }
}

void compare_gradients(const Fixture& fixture, const ModelRun& run, double tokens, double bound) {
  for (std::size_t b = 0; b < run.blocks(); ++b) {
    const auto ours = run.gradient(b);
    for (const auto& tensor : run.layout()[b].tensors) {
      const auto expected = fixture.read(Fixture::File::gradients, tensor);
      auto difference = part(ours, tensor);
      for (std::size_t i = 0; i < expected.size(); ++i) difference[i] = difference[i] / tokens - expected[i];
      INFO(tensor.name);
      CHECK(largest(difference) <= bound * largest(expected));
    }
  }
}

}  // namespace

TEST_CASE("kernels reproduce PyTorch's loss, gradients, norms and AdamW steps", "[executor][kernels]") {
  const Fixture fixture;
  const model::Recipe recipe{.optimizer = model::OptimizerKind::adamw, .learning_rate = kRate};
  for (const auto& backend : backends()) {
    DYNAMIC_SECTION(backend.name) {
      const auto kernels = backend.make(fixture.spec);
      const auto bounds = bounds_of(kernels->scalar());
      ModelRun run(fixture.spec, *kernels, 1024);
      for (std::size_t b = 0; b < run.blocks(); ++b) {
        run.set_weights(b, fixture.block(Fixture::File::initial, run.layout()[b]));
      }
      for (std::size_t step = 0; step < fixture.batches.size(); ++step) {
        const auto& batch = fixture.batches[step];
        const auto tokens = static_cast<double>(batch.shape.tokens());
        run.zero_gradients();
        CHECK(std::abs(run.forward(batch) / tokens - fixture.losses[step]) <= bounds.loss);
        run.backward(batch, ModelRun::Halves::together);
        const double norm = run.gradient_norm() / tokens;
        CHECK(std::abs(norm - fixture.norms[step]) <= 3 * bounds.loss);
        if (step == 0) compare_gradients(fixture, run, tokens, bounds.gradient);
        run.optimize(recipe, kRate, step + 1, std::min(1.0, 1.0 / (norm + 1e-6)) / tokens);
        if (step == 0) compare_weights(fixture, run, Fixture::File::step1, 1, bounds.weight);
      }
      compare_weights(fixture, run, Fixture::File::step5, 5, bounds.weight);
      const auto& first = fixture.batches[0];
      CHECK(std::abs(run.evaluate(first) / static_cast<double>(first.shape.tokens()) - fixture.losses[5]) <=
            bounds.loss);
    }
  }
}
