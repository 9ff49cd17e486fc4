#include "frenzy/planner/split.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "frenzy/base/rng.hpp"

using namespace frenzy;
using namespace frenzy::planner;

TEST_CASE("samples are dealt in proportion to speed", "[planner]") {
  const std::vector<Seconds> cost{Seconds(1), Seconds(2), Seconds(4)};
  const std::vector<Seconds> start(3, Seconds(0));
  CHECK(deal(28, cost, start) == std::vector<std::uint32_t>{16, 8, 4});
  CHECK(deal(0, cost, start) == std::vector<std::uint32_t>{0, 0, 0});
  CHECK(deal(1, cost, start) == std::vector<std::uint32_t>{1, 0, 0});
}

TEST_CASE("no other deal of the samples finishes earlier", "[planner]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const std::vector<Seconds> cost{Seconds(0.1 + rng.uniform()), Seconds(0.1 + rng.uniform())};
    const std::vector<Seconds> start{Seconds(rng.uniform()), Seconds(rng.uniform())};
    const auto items = static_cast<std::uint32_t>(rng.below(20));
    const auto finish = [&](std::uint32_t first) {
      const auto at = [&](std::size_t i, std::uint32_t n) {
        return n == 0 ? 0.0 : start[i].count() + cost[i].count() * n;
      };
      return std::max(at(0, first), at(1, items - first));
    };
    const auto dealt = deal(items, cost, start);
    REQUIRE(dealt[0] + dealt[1] == items);
    for (std::uint32_t k = 0; k <= items; ++k) CHECK(finish(dealt[0]) <= finish(k) + 1e-12);
  }
}

TEST_CASE("parts sum to the total and follow the weights", "[planner]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    std::vector<double> weights;
    for (std::uint64_t i = 0; i <= rng.below(6); ++i) weights.push_back(rng.below(4) == 0 ? 0 : rng.uniform());
    weights.push_back(0.5);
    const auto total = rng.below(100000);
    const auto parts = apportion(total, weights, 16);
    CHECK(std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}) == total);
    const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double exact = static_cast<double>(total) * weights[i] / sum;
      CHECK(std::abs(static_cast<double>(parts[i]) - exact) <= 48.0);
    }
  }
}
