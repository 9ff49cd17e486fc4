#include "frenzy/planner/search.hpp"

#include <catch2/catch.hpp>

#include "small_plans.hpp"

using namespace frenzy;
using namespace frenzy::testing;

namespace {

/// A cluster of devices given as {memory, relative speed}.
struct Bench {
  Bench(std::initializer_list<std::pair<Bytes, double>> devices) {
    Rng rng(3);
    auto& node = cluster.nodes.emplace_back();
    for (const auto& [memory, speed] : devices) {
      model::DeviceSpec device;
      device.id = DeviceId::random(rng);
      device.name = format("cpu{}", node.devices.size());
      device.memory = device.free = memory;
      calibration.devices[device.id] = {{speed * 1e9}, {speed * 1e10}, 0_B};
      node.devices.push_back(device);
    }
  }
  [[nodiscard]] Result<planner::PlanResult> plan() const {
    return planner::search({.model = &spec, .recipe = &recipe, .cluster = &cluster,
                            .calibration = &calibration, .catalogue = &catalogue, .reserve = 0_B});
  }
  model::ModelSpec spec = small_model(4, 64, 256);
  model::Recipe recipe = small_recipe(28, model::Scalar::fp32);
  model::ClusterSpec cluster;
  model::Calibration calibration;
  program::KernelCatalogue catalogue;
};

}  // namespace

TEST_CASE("shares follow the measured speed", "[planner]") {
  const Bench bench({{64_MiB, 4}, {64_MiB, 2}, {64_MiB, 1}});
  const auto result = bench.plan();
  REQUIRE(result.ok());
  CHECK(validate(result->plan).empty());
  REQUIRE(result->shares.size() == 3);
  CHECK(result->shares[0].samples == 16);
  CHECK(result->shares[1].samples == 8);
  CHECK(result->shares[2].samples == 4);
  CHECK(result->shares[0].state_fraction == Approx(4.0 / 7).margin(0.01));
  CHECK_THAT(result->shares[0].why, Catch::Contains("16 of 28") && Catch::Contains("57%"));
}

TEST_CASE("a device short of memory gets less optimizer state or smaller micro-batches", "[planner]") {
  const Bench roomy({{64_MiB, 1}, {64_MiB, 1}});
  const auto both = roomy.plan();
  REQUIRE(both.ok());
  const auto need = both->shares[0].arena;
  const Bench tight({{need - 200_KiB, 1}, {64_MiB, 1}});
  const auto result = tight.plan();
  REQUIRE(result.ok());
  REQUIRE(result->shares.size() == 2);
  CHECK(result->shares[0].footprint.total() <= need - 200_KiB);
  const bool smaller = result->shares[0].micro_batch < both->shares[0].micro_batch;
  const bool lighter = result->shares[0].state_fraction < both->shares[0].state_fraction;
  CHECK((smaller || lighter));
  CHECK_THAT(result->shares[0].why, Catch::Contains("memory limits"));
}

TEST_CASE("a device that holds no sample at all is left out by name", "[planner]") {
  const Bench bench({{64_MiB, 1}, {100_KiB, 1}});
  const auto result = bench.plan();
  REQUIRE(result.ok());
  CHECK(result->shares.size() == 1);
  REQUIRE(result->left_out.size() == 1);
  CHECK(result->left_out[0].name == "cpu1");
  CHECK_THAT(result->left_out[0].why, Catch::Contains("needs") && Catch::Contains("free"));
}

TEST_CASE("a model too big for every device is refused with numbers", "[planner]") {
  const Bench bench({{200_KiB, 1}, {100_KiB, 1}});
  const auto result = bench.plan();
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == Errc::does_not_fit);
  CHECK_THAT(result.error().what, Catch::Contains("needs") && Catch::Contains("largest part"));
}

TEST_CASE("a batch that no device count divides is dealt whole", "[planner]") {
  Bench bench({{64_MiB, 1}, {64_MiB, 1}, {64_MiB, 1}, {64_MiB, 1}, {64_MiB, 1}, {64_MiB, 1}, {64_MiB, 1}});
  bench.recipe.global_batch = 256;
  const auto result = bench.plan();
  REQUIRE(result.ok());
  std::uint32_t sum = 0;
  for (const auto& share : result->shares) sum += share.samples;
  CHECK(result->shares.size() == 7);
  CHECK(sum == 256);
}

TEST_CASE("more devices than samples leaves the slowest out", "[planner]") {
  Bench bench({{64_MiB, 1}, {64_MiB, 4}, {64_MiB, 2}});
  bench.recipe.global_batch = 2;
  const auto result = bench.plan();
  REQUIRE(result.ok());
  CHECK(result->shares.size() == 1);
  CHECK(result->left_out.size() == 2);
}

TEST_CASE("a sequence longer than the model's positions is refused", "[planner]") {
  Bench bench({{64_MiB, 1}});
  bench.recipe.sequence = 13;
  const auto result = bench.plan();
  REQUIRE_FALSE(result.ok());
  CHECK_THAT(result.error().what, Catch::Contains("13") && Catch::Contains("12 positions"));
}

TEST_CASE("equal inputs give equal plans", "[planner]") {
  const Bench bench({{64_MiB, 3}, {64_MiB, 2}, {10_MiB, 1}});
  CHECK(bench.plan()->plan == bench.plan()->plan);
}

TEST_CASE("a giant model is refused at once, also for a large batch", "[planner]") {
  Bench bench({{512_MiB, 2}, {512_MiB, 1}, {256_MiB, 1}, {128_MiB, 1}});
  bench.spec = *model::preset("gpt2-xl");
  bench.recipe.global_batch = 64;
  bench.recipe.sequence = 256;
  const auto result = bench.plan();
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == Errc::does_not_fit);
  CHECK_THAT(result.error().what, Catch::Contains("the largest part is"));
}
