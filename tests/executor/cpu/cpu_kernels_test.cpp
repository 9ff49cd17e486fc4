#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "frenzy/base/rng.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#include "model_run.hpp"

using namespace frenzy;
using namespace frenzy::executor;
using namespace frenzy::executor::test;
using cpu::make_kernels;

namespace {

struct Case {
  model::ModelSpec spec;
  program::MicroBatchShape shape;
  std::uint32_t logit_rows = 1024;
  std::uint64_t skip_one_in = 0;
};

/// Odd sizes, several attention tiles and row blocks, both head modes.
Case random_case(std::uint64_t seed) {
  Rng rng(seed);
  const auto pick = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::uint32_t>(least + rng.below(most - least + 1));
  };
  const auto heads = pick(1, 4);
  const auto sequence = pick(1, 200);
  Case out;
  out.spec = *model::validated({.layers = pick(1, 2), .hidden = heads * pick(5, 40), .heads = heads,
                                .ffn = pick(1, 150), .positions = sequence, .vocabulary = pick(2, 130),
                                .tying = rng.below(2) == 0 ? model::Tying::tied : model::Tying::untied});
  out.shape = {pick(1, 4), sequence};
  out.logit_rows = rng.below(2) == 0 ? 1024 : pick(1, 70);
  out.skip_one_in = rng.below(4);
  return out;
}

double largest(const std::vector<double>& values) {
  double out = 0.0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double out = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i])) return std::numeric_limits<double>::infinity();
    out = std::max(out, std::abs(a[i] - b[i]));
  }
  return out;
}

/// The same model in fp64, in plain fp32, and by the kernels under test. `bound` is relative to the largest
/// of the tensor. A model that makes more of rounding shows it in plain fp32: there the kernels may be off by
/// four times as much.
struct Runs {
  ModelRun exact, plain, fast;

  template <class Values>
  void compare(Values values, double bound) const {
    const auto expected = values(exact);
    const double limit = std::max(4.0 * largest_difference(values(plain), expected),
                                  bound * std::max(largest(expected), 1e-4));
    CHECK(largest_difference(values(fast), expected) <= limit);
  }
  template <class Act>
  void each(Act act) {
    act(exact);
    act(plain);
    act(fast);
  }
};

std::vector<double> values_of(const std::vector<double>& block, const model::TensorSpec& tensor) {
  const auto begin = block.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(tensor.elements())};
}

void train(ModelRun& run, const Batch& batch, const model::Recipe& recipe, int steps) {
  for (int step = 1; step <= steps; ++step) {
    run.zero_gradients();
    static_cast<void>(run.forward(batch));
    run.backward(batch, ModelRun::Halves::together);
    static_cast<void>(run.gradient_norm());
    run.optimize(recipe, 1e-2, static_cast<std::uint64_t>(step), 1.0 / static_cast<double>(batch.shape.tokens()));
  }
}

}  // namespace

TEST_CASE("CPU kernels agree with the fp64 reference on random models", "[executor][kernels]") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const auto one = random_case(seed);
    INFO("seed " << seed << " hidden " << one.spec.hidden << " heads " << one.spec.heads << " sequence "
                 << one.shape.sequence);
    cpu::reference::ReferenceKernels<double> exact(one.spec);
    cpu::reference::ReferenceKernels<float> plain(one.spec);
    const auto fast = make_kernels(one.spec, model::Scalar::fp32, {});
    Runs runs{{one.spec, exact, one.logit_rows}, {one.spec, plain, one.logit_rows}, {one.spec, *fast, one.logit_rows}};
    const auto batch = random_batch(one.spec, one.shape, seed, one.skip_one_in);
    runs.each([&](ModelRun& run) { run.randomise(seed, 0.3); });
    CHECK(runs.fast.forward(batch) == Approx(runs.exact.forward(batch)).epsilon(2e-6));
    static_cast<void>(runs.plain.forward(batch));
    runs.each([&](ModelRun& run) { run.backward(batch, ModelRun::Halves::together); });
    for (std::size_t block = 1; block < runs.fast.blocks(); ++block) {
      INFO("block " << block);
      runs.compare([&](const ModelRun& run) { return run.activation(block - 1); }, 1e-5);
      runs.compare([&](const ModelRun& run) { return run.input_gradient(block); }, 5e-5);
    }
    for (std::size_t block = 0; block < runs.fast.blocks(); ++block) {
      for (const auto& tensor : runs.fast.layout()[block].tensors) {
        INFO(tensor.name);
        runs.compare([&](const ModelRun& run) { return values_of(run.gradient(block), tensor); }, 5e-5);
      }
    }
  }
}

TEST_CASE("CPU kernels give the same bits with any number of threads", "[executor][kernels]") {
  std::vector<Case> cases{random_case(31), random_case(32)};
  cases.push_back({*model::validated({.layers = 1, .hidden = 192, .heads = 3, .ffn = 700, .positions = 150,
                                      .vocabulary = 301}),
                   {5, 150}, 128, 7});
  for (const auto& one : cases) {
    for (const auto kind : {model::OptimizerKind::adamw, model::OptimizerKind::sgd}) {
      const model::Recipe recipe{.optimizer = kind};
      const auto batch = random_batch(one.spec, one.shape, 5, one.skip_one_in);
      std::vector<std::vector<double>> first;
      double loss = 0.0, norm = 0.0;
      for (const std::uint32_t threads : {1U, 2U, 3U}) {
        const auto kernels = make_kernels(one.spec, model::Scalar::fp32, {.threads = threads});
        ModelRun run(one.spec, *kernels, one.logit_rows);
        run.randomise(6, 0.1);
        train(run, batch, recipe, 2);
        const double this_norm = run.gradient_norm(), this_loss = run.evaluate(batch);
        if (threads == 1) {
          loss = this_loss;
          norm = this_norm;
          CHECK(kernels->helper_cpu_time().count() == 0.0);
        }
        CHECK(this_loss == loss);
        CHECK(this_norm == norm);
        if (threads > 1) CHECK(kernels->helper_cpu_time().count() > 0.0);
        for (std::size_t block = 0; block < run.blocks(); ++block) {
          if (threads == 1) first.push_back(run.weights(block));
          CHECK(run.weights(block) == first[block]);
        }
      }
    }
  }
}

TEST_CASE("an optimizer step in shards equals the whole step bit for bit", "[executor][kernels]") {
  const auto spec = *model::preset("gpt2-tiny");
  const auto kernels = make_kernels(spec, model::Scalar::fp32, {});
  constexpr std::size_t kCount = 1003;
  std::vector<double> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = counter_normal(9, i);
  for (const auto kind : {model::OptimizerKind::adamw, model::OptimizerKind::sgd}) {
    const model::Recipe recipe{.optimizer = kind};
    const auto after = [&](std::size_t cut) {
      std::vector<Buffer> buffers;
      for (int i = 0; i < 4; ++i) buffers.emplace_back(kCount * 4);
      from_doubles(buffers[0].bytes(), model::Scalar::fp32, values);
      from_doubles(buffers[3].bytes(), model::Scalar::fp32, values);
      for (const auto& range : {model::ElementRange{0, cut}, {cut, kCount}}) {
        const auto part = [&](int i) {
          return buffers[static_cast<std::size_t>(i)].bytes().subspan(range.begin * 4, range.size() * 4);
        };
        kernels->optimize({.recipe = &recipe, .rate = 0.1, .step = 3, .gradient_scale = 0.7, .weight_decay = 0.1,
                           .weights = part(0), .moment1 = part(1), .moment2 = part(2), .gradient = part(3)});
      }
      return to_doubles(buffers[0].bytes(), model::Scalar::fp32);
    };
    const auto whole = after(0);
    for (const std::size_t cut : {1UL, 13UL, 512UL, 999UL}) CHECK(after(cut) == whole);
  }
}

TEST_CASE("kernels exist for fp32 and fp64 only", "[executor][kernels]") {
  const auto spec = *model::preset("gpt2-tiny");
  CHECK(make_kernels(spec, model::Scalar::fp32, {})->scalar() == model::Scalar::fp32);
  CHECK(make_kernels(spec, model::Scalar::fp64, {})->scalar() == model::Scalar::fp64);
  CHECK(make_kernels(spec, model::Scalar::bf16, {}) == nullptr);
}
