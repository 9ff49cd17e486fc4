#include <catch2/catch.hpp>
#include <cmath>

#include "backends.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#include "model_run.hpp"

using namespace frenzy;
using namespace frenzy::executor;
using namespace frenzy::executor::test;
using cpu::reference::ReferenceKernels;

namespace {

struct Case {
  model::ModelSpec spec;
  program::MicroBatchShape shape;
  std::uint32_t logit_rows;
  std::uint64_t skip_one_in;
};

model::ModelSpec small_spec(std::uint32_t layers, std::uint32_t hidden, std::uint32_t heads,
                            std::uint32_t ffn, std::uint32_t vocabulary, model::Tying tying) {
  return *model::validated({.layers = layers, .hidden = hidden, .heads = heads, .ffn = ffn, .positions = 9,
                            .vocabulary = vocabulary, .tying = tying});
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {small_spec(2, 12, 3, 20, 17, model::Tying::tied), {2, 5}, 1024, 0},
      {small_spec(1, 15, 5, 7, 11, model::Tying::untied), {3, 7}, 4, 3},
      {small_spec(2, 7, 1, 13, 5, model::Tying::tied), {1, 9}, 2, 2},
      {small_spec(1, 10, 2, 40, 23, model::Tying::untied), {2, 1}, 1, 0}};
  return all;
}

}  // namespace

TEST_CASE("gradients equal central differences on small odd models", "[executor][kernels]") {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (std::size_t c = 0; c < cases().size(); ++c) {
      const auto& one = cases()[c];
      ReferenceKernels<double> kernels(one.spec);
      ModelRun run(one.spec, kernels, one.logit_rows);
      run.randomise(seed, 0.3);
      const auto batch = random_batch(one.spec, one.shape, seed + 10 * c, one.skip_one_in);
      run.zero_gradients();
      run.forward(batch);
      run.backward(batch, ModelRun::Halves::together);
      Rng rng(seed);
      for (std::size_t block = 0; block < run.blocks(); ++block) {
        const auto gradient = run.gradient(block);
        for (int probe = 0; probe < 60; ++probe) {
          const auto at = static_cast<std::size_t>(rng.below(gradient.size()));
          auto weights = run.weights(block);
          const double kept = weights[at], h = 1e-5;
          weights[at] = kept + h;
          run.set_weights(block, weights);
          const double above = run.evaluate(batch);
          weights[at] = kept - h;
          run.set_weights(block, weights);
          const double below = run.evaluate(batch);
          weights[at] = kept;
          run.set_weights(block, weights);
          INFO("seed " << seed << " case " << c << " block " << block << " element " << at);
          CHECK(std::abs((above - below) / (2 * h) - gradient[at]) <= 2e-8 * (1.0 + std::abs(gradient[at])));
        }
      }
    }
  }
}

TEST_CASE("weight gradients are added to what is there and halves may run apart", "[executor][kernels]") {
  for (const auto& backend : backends()) {
    for (const auto& one : cases()) {
      const auto kernels = backend.make(one.spec);
      ModelRun run(one.spec, *kernels, one.logit_rows);
      run.randomise(3, 0.3);
      const auto batch = random_batch(one.spec, one.shape, 4, one.skip_one_in);
      run.zero_gradients();
      run.forward(batch);
      run.backward(batch, ModelRun::Halves::together);
      std::vector<std::vector<double>> once;
      for (std::size_t b = 0; b < run.blocks(); ++b) once.push_back(run.gradient(b));
      run.zero_gradients();
      run.forward(batch);
      run.backward(batch, ModelRun::Halves::split);
      // A tied table gets its two parts in another order.
      for (std::size_t b = 1; b < run.blocks(); ++b) CHECK(run.gradient(b) == once[b]);
      run.forward(batch);
      run.backward(batch, ModelRun::Halves::split);
      for (std::size_t b = 0; b < run.blocks(); ++b) {
        const auto twice = run.gradient(b);
        for (std::size_t i = 0; i < twice.size(); ++i) {
          REQUIRE(twice[i] == Approx(2 * once[b][i]).epsilon(1e-3).margin(1e-5));
        }
      }
    }
  }
}

TEST_CASE("a sample's activations and gradients do not depend on its batch", "[executor][kernels]") {
  for (const auto& backend : backends()) {
    for (const auto& one : cases()) {
      const auto kernels = backend.make(one.spec);
      const bool exact = kernels->scalar() == model::Scalar::fp64;
      ModelRun whole(one.spec, *kernels, one.logit_rows), alone(one.spec, *kernels, one.logit_rows);
      whole.randomise(5, 0.3);
      alone.randomise(5, 0.3);
      const auto batch = random_batch(one.spec, one.shape, 6, one.skip_one_in);
      double sum = 0.0;
      const double loss = whole.forward(batch);
      whole.backward(batch, ModelRun::Halves::together);
      for (std::uint32_t s = 0; s < one.shape.samples; ++s) {
        const auto t = static_cast<std::ptrdiff_t>(one.shape.sequence);
        const auto from = static_cast<std::ptrdiff_t>(s) * t;
        const Batch single{{1, one.shape.sequence},
                           {batch.tokens.begin() + from, batch.tokens.begin() + from + t},
                           {batch.targets.begin() + from, batch.targets.begin() + from + t}};
        sum += alone.forward(single);
        alone.backward(single, ModelRun::Halves::together);
        for (std::size_t b = 1; b < whole.blocks(); ++b) {
          const auto all = whole.input_gradient(b), own = alone.input_gradient(b);
          const auto offset = static_cast<std::size_t>(from) * one.spec.hidden;
          for (std::size_t i = 0; i < own.size(); ++i) {
            if (exact) REQUIRE(all[offset + i] == own[i]);
            REQUIRE(all[offset + i] == Approx(own[i]).epsilon(1e-4).margin(1e-5));
          }
        }
      }
      CHECK(sum == Approx(loss).epsilon(exact ? 1e-13 : 1e-5));
    }
  }
}

TEST_CASE("a micro-batch without samples costs nothing and changes nothing", "[executor][kernels]") {
  const auto& one = cases().front();
  for (const auto& backend : backends()) {
    const auto kernels = backend.make(one.spec);
    ModelRun run(one.spec, *kernels, one.logit_rows);
    run.randomise(7, 0.3);
    run.zero_gradients();
    const Batch none{{0, 5}, {}, {}};
    CHECK(run.forward(none) == 0.0);
    run.backward(none, ModelRun::Halves::split);
    CHECK(run.gradient_norm() == 0.0);
    CHECK(kernels->squared_norm({}) == 0.0);
    kernels->add({}, {});
  }
}

TEST_CASE("positions without a target give neither loss nor gradient", "[executor][kernels]") {
  const auto& one = cases().front();
  for (const auto& backend : backends()) {
    const auto kernels = backend.make(one.spec);
    ModelRun run(one.spec, *kernels, 3);
    run.randomise(8, 0.3);
    auto batch = random_batch(one.spec, one.shape, 9, 0);
    std::ranges::fill(batch.targets, -1);
    run.zero_gradients();
    CHECK(run.forward(batch) == 0.0);
    run.backward(batch, ModelRun::Halves::together);
    CHECK(run.gradient_norm() == 0.0);
  }
}

TEST_CASE("SGD moves weights by rate times scaled gradient and decay", "[executor][kernels]") {
  const auto& one = cases().front();
  for (const auto& backend : backends()) {
    const auto kernels = backend.make(one.spec);
    const auto scalar = kernels->scalar();
    const std::vector<double> weights{1.0, -2.0, 0.5}, gradient{4.0, 0.0, -8.0};
    Buffer w(3 * size_of(scalar)), g(3 * size_of(scalar));
    from_doubles(w.bytes(), scalar, weights);
    from_doubles(g.bytes(), scalar, gradient);
    const model::Recipe recipe{.optimizer = model::OptimizerKind::sgd};
    kernels->optimize({.recipe = &recipe, .rate = 0.5, .step = 1, .gradient_scale = 0.25, .weight_decay = 0.5,
                       .weights = w.bytes(), .moment1 = {}, .moment2 = {}, .gradient = g.bytes()});
    CHECK(to_doubles(w.bytes(), scalar) == std::vector<double>{0.25, -1.5, 1.375});
    kernels->add(w.bytes(), g.bytes());
    CHECK(to_doubles(w.bytes(), scalar) == std::vector<double>{4.25, -1.5, -6.625});
    CHECK(kernels->squared_norm(g.bytes()) == 80.0);
  }
}
