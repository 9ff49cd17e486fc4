#include "frenzy/base/rng.hpp"

#include <sys/random.h>

#include <cmath>
#include <numbers>

#include "frenzy/base/check.hpp"
#include "frenzy/base/hash.hpp"

namespace frenzy {

std::uint64_t random_key(std::uint64_t seed, std::string_view name) {
  Fingerprinter hash;
  hash.add(seed);
  hash.add(name);
  return hash.finish().low;
}

double counter_normal(std::uint64_t key, std::uint64_t counter) {
  const double u = 1.0 - unit_interval(counter_random(key, 2 * counter));
  const double v = unit_interval(counter_random(key, 2 * counter + 1));
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

std::uint64_t Rng::below(std::uint64_t bound) {
  FRENZY_CHECK(bound > 0);
  // Rejection keeps it uniform: the last, incomplete run of `bound` values is drawn again.
  const std::uint64_t limit = UINT64_MAX - (UINT64_MAX % bound + 1) % bound;
  std::uint64_t value = next();
  while (value > limit) value = next();
  return value % bound;
}

std::uint64_t seed_from_system() {
  std::uint64_t seed = 0;
  FRENZY_CHECK(getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed));
  return seed;
}

}  // namespace frenzy
