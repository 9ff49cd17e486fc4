#include <catch2/catch.hpp>
#include <cmath>

#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#include "local_training.hpp"
#include "small_plans.hpp"

using namespace frenzy;
using namespace frenzy::testing;
using executor::cpu::reference::ReferenceKernels;

namespace {

std::unique_ptr<executor::Kernels> double_kernels(const model::ModelSpec& spec) {
  return std::make_unique<ReferenceKernels<double>>(spec);
}

model::Plan one_device(const model::ModelSpec& spec, const model::Recipe& recipe) {
  Rng rng(1);
  auto plan = random_plan(rng, spec, recipe, 1, model::Sharding::replicated);
  plan.pipelines[0].stages[0].group[0].micro_batch = recipe.global_batch;
  plan.logit_rows = 1024;
  return plan;
}

double worst(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double out = 0;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      const double gap = std::abs(a[i][j] - b[i][j]);
      out = std::isfinite(gap) ? std::max(out, gap) : INFINITY;
    }
  }
  return out;
}

void check_equal(const TrainedJob& job, const TrainedJob& expected) {
  REQUIRE(job.errors.empty());
  REQUIRE(job.losses.size() == expected.losses.size());
  for (std::size_t i = 0; i < job.losses.size(); ++i) {
    CHECK(job.losses[i] == Approx(expected.losses[i]).epsilon(1e-10));
    CHECK(job.norms[i] == Approx(expected.norms[i]).epsilon(1e-9));
  }
  CHECK(worst(job.weights, expected.weights) < 1e-9);
  CHECK(worst(job.moments, expected.moments) < 1e-10);
}

}  // namespace

TEST_CASE("any uneven data-parallel plan trains what one device trains", "[executor]") {
  executor::DeviceRunOptions options;
  options.poison = executor::Poison::yes;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed);
    auto spec = small_model(1 + static_cast<std::uint32_t>(rng.below(3)));
    if (seed % 3 == 0) spec.tying = model::Tying::untied;
    auto recipe = small_recipe(5 + static_cast<std::uint32_t>(rng.below(6)));
    // Adam and clipping hide wrong gradient scales, so half of the plans run without them.
    if (seed % 2 == 0) {
      recipe.optimizer = model::OptimizerKind::sgd;
      recipe.clip = 0;
    }
    CountedSamples samples(spec.vocabulary, seed % 4 == 1);
    const auto expected = train(one_device(spec, recipe), 3, double_kernels, samples, options);
    for (const auto sharding : {model::Sharding::replicated, model::Sharding::optimizer}) {
      const auto ranks = 2 + static_cast<std::uint32_t>(rng.below(4));
      const auto plan = random_plan(rng, spec, recipe, ranks, sharding);
      INFO("seed " << seed << " ranks " << ranks << " sharding " << static_cast<int>(sharding));
      check_equal(train(plan, 3, double_kernels, samples, options), expected);
    }
  }
}

TEST_CASE("the same plan gives the same bits twice", "[executor]") {
  Rng rng(3);
  const auto spec = small_model();
  const auto recipe = small_recipe(7, model::Scalar::fp32);
  const auto plan = random_plan(rng, spec, recipe, 4, model::Sharding::optimizer);
  CountedSamples samples(spec.vocabulary);
  const auto kernels = [](const model::ModelSpec& s) -> std::unique_ptr<executor::Kernels> {
    return std::make_unique<ReferenceKernels<float>>(s);
  };
  const auto first = train(plan, 4, kernels, samples);
  const auto second = train(plan, 4, kernels, samples);
  CHECK(first.losses == second.losses);
  CHECK(first.weights == second.weights);
}

TEST_CASE("a loss falls when a small model sees the same data again", "[executor]") {
  const auto spec = small_model();
  auto recipe = small_recipe(6);
  class Repeated final : public executor::Samples {
   public:
    explicit Repeated(std::uint32_t vocabulary) : inner_(vocabulary) {}
    Status fill(Step, model::SampleRange numbers, std::uint32_t sequence,
                std::span<std::int32_t> tokens, std::span<std::int32_t> targets) override {
      return inner_.fill({0}, numbers, sequence, tokens, targets);
    }
    CountedSamples inner_;
  } samples(spec.vocabulary);
  const auto job = train(one_device(spec, recipe), 20, double_kernels, samples);
  REQUIRE(job.errors.empty());
  CHECK(job.losses.back() < 0.7 * job.losses.front());
}
