#include "frenzy/executor/data/sample_order.hpp"

#include "frenzy/base/check.hpp"
#include "frenzy/base/rng.hpp"

#include <algorithm>
#include <bit>

namespace frenzy::executor::data {
namespace {

// Luby and Rackoff need four rounds; small domains have weak halves, so they get twice that.
constexpr std::uint64_t kRounds = 8;

std::uint64_t feistel(std::uint64_t value, unsigned half_bits, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = value >> half_bits;
  std::uint64_t right = value & mask;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const auto mixed = counter_random(key ^ mix64(round + 1), right) & mask;
    const auto next = left ^ mixed;
    left = right;
    right = next;
  }
  return left << half_bits | right;
}

}  // namespace

std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t key) {
  FRENZY_CHECK(index < count);
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  const unsigned half_bits = std::max(1U, (bits + 1) / 2);
  // Cycle walking: the domain is at most four times too large, and following the permutation until
  // it is back below `count` is again a permutation.
  auto value = feistel(index, half_bits, key);
  while (value >= count) value = feistel(value, half_bits, key);
  return value;
}

std::uint64_t SampleOrder::at(std::uint64_t position) const {
  FRENZY_CHECK(count > 0);
  const auto pass = position / count;
  const auto key = counter_random(random_key(seed, "sample order"), pass);
  return permuted(position % count, count, key);
}

std::uint64_t SampleOrder::of(Step step, std::uint32_t number) const {
  FRENZY_CHECK(number < global_batch);
  return at(step.value * global_batch + number);
}

std::vector<std::uint64_t> SampleOrder::of(Step step, model::SampleRange range) const {
  std::vector<std::uint64_t> out;
  out.reserve(range.size());
  for (auto number = range.begin; number < range.end; ++number) out.push_back(of(step, number));
  return out;
}

}  // namespace frenzy::executor::data
