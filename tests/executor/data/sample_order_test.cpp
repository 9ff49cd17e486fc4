#include "frenzy/executor/data/sample_order.hpp"

#include "frenzy/base/rng.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace frenzy;
using namespace frenzy::executor::data;

namespace {

std::vector<std::uint64_t> pass_of(const SampleOrder& order, std::uint64_t pass) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < order.count; ++i) out.push_back(order.at(pass * order.count + i));
  return out;
}

bool is_permutation_of_all(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != i) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("every pass uses every sample once, for each count up to 2000", "[executor][data]") {
  for (std::uint64_t count = 1; count <= 2000; ++count) {
    const SampleOrder order{.seed = count * 31, .count = count, .global_batch = 4};
    INFO("count " << count);
    REQUIRE(is_permutation_of_all(pass_of(order, 0)));
    REQUIRE(is_permutation_of_all(pass_of(order, 1 + count % 3)));
  }
}

TEST_CASE("passes and seeds give different orders", "[executor][data]") {
  for (const std::uint64_t count : {20ULL, 64ULL, 1000ULL, 1999ULL}) {
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      for (std::uint64_t pass = 0; pass < 5; ++pass) {
        orders.insert(pass_of({.seed = seed, .count = count}, pass));
      }
    }
    CHECK(orders.size() == 25);
  }
}

TEST_CASE("large counts stay in range and distinct", "[executor][data]") {
  for (const std::uint64_t count : {(1ULL << 32) + 1, 1ULL << 40, (1ULL << 53) - 111, ~0ULL / 3}) {
    const auto key = counter_random(7, count);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto front = permuted(i, count, key);
      const auto back = permuted(count - 1 - i, count, key);
      REQUIRE(front < count);
      REQUIRE(back < count);
      seen.insert(front);
      seen.insert(back);
    }
    CHECK(seen.size() == 4000);
  }
}

TEST_CASE("an order is not close to the order of the file", "[executor][data]") {
  const SampleOrder order{.seed = 7, .count = 1000};
  const auto pass = pass_of(order, 0);
  std::size_t fixed = 0, neighbours = 0;
  double distance = 0;
  for (std::size_t i = 0; i < pass.size(); ++i) {
    if (pass[i] == i) ++fixed;
    if (i > 0 && pass[i] == pass[i - 1] + 1) ++neighbours;
    distance += std::abs(static_cast<double>(pass[i]) - static_cast<double>(i));
  }
  CHECK(fixed < 10);
  CHECK(neighbours < 10);
  CHECK(distance / 1000 == Approx(333).margin(40));
}

TEST_CASE("a step's samples do not depend on how its numbers are dealt", "[executor][data]") {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const SampleOrder order{.seed = rng.next(),
                            .count = 1 + rng.below(500),
                            .global_batch = static_cast<std::uint32_t>(1 + rng.below(64))};
    const Step step{rng.below(1000)};
    const auto whole = order.of(step, {0, order.global_batch});
    const auto cut = static_cast<std::uint32_t>(rng.below(order.global_batch + 1));
    auto parts = order.of(step, {0, cut});
    const auto rest = order.of(step, {cut, order.global_batch});
    parts.insert(parts.end(), rest.begin(), rest.end());
    REQUIRE(parts == whole);
    REQUIRE(whole.back() == order.at((step.value + 1) * order.global_batch - 1));
  }
}

TEST_CASE("the order is part of the format: these numbers never change", "[executor][data]") {
  const SampleOrder order{.seed = 7, .count = 10, .global_batch = 4};
  std::vector<std::uint64_t> got;
  for (std::uint64_t i = 0; i < 20; ++i) got.push_back(order.at(i));
  CHECK(got ==
        std::vector<std::uint64_t>{8, 4, 6, 5, 3, 1, 9, 7, 0, 2, 9, 0, 2, 1, 3, 5, 7, 8, 6, 4});
}
