#include <catch2/catch.hpp>

#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#include "local_training.hpp"
#include "small_plans.hpp"

using namespace frenzy;
using namespace frenzy::testing;
using executor::cpu::reference::ReferenceKernels;

namespace {

std::unique_ptr<executor::Kernels> kernels(const model::ModelSpec& spec) {
  return std::make_unique<ReferenceKernels<double>>(spec);
}

}  // namespace

TEST_CASE("an arena above the device's limit is refused with both numbers", "[executor]") {
  const auto arena = executor::Arena::create(2_MiB, 1_MiB);
  REQUIRE_FALSE(arena.ok());
  CHECK(arena.error().code == Errc::does_not_fit);
  CHECK(arena.error().what == "arena needs 2.00 MiB, the device has 1.00 MiB free");
}

TEST_CASE("a failed instruction ends the step with its place, on every device", "[executor]") {
  Rng rng(5);
  const auto spec = small_model();
  const auto plan = random_plan(rng, spec, small_recipe(6), 3, model::Sharding::optimizer);
  CountedSamples samples(spec.vocabulary);
  executor::DeviceRunOptions options;
  options.faults = {.fail_at_step = 2, .fail_opcode = program::Opcode::step};
  const auto job = train(plan, 5, kernels, samples, options);
  REQUIRE(job.errors.size() == 3);
  CHECK(job.losses.size() == 1);
  CHECK_THAT(job.errors[0], Catch::Contains("step 2: step of "));
  CHECK_THAT(job.errors[0], Catch::Contains("injected allocation failure: weights, requested "));
  CHECK_THAT(job.errors[0], Catch::Contains(", available 0 B"));
}

TEST_CASE("a token outside the vocabulary stops the step before any arithmetic", "[executor]") {
  Rng rng(5);
  const auto spec = small_model();
  const auto plan = random_plan(rng, spec, small_recipe(2), 1, model::Sharding::replicated);
  CountedSamples samples(spec.vocabulary + 5000);
  const auto job = train(plan, 1, kernels, samples);
  REQUIRE(job.errors.size() == 1);
  CHECK_THAT(job.errors[0], Catch::Contains("outside the vocabulary of 29"));
}
