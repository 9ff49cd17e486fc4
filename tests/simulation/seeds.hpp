#pragma once
// How many seeds are run: 1,000; 200 under a sanitizer; 10,000 with FRENZY_LONG=1.

#include <cstdint>
#include <cstdlib>

#include "long_run.hpp"

namespace frenzy::simulation {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kSeeds = 200;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr std::uint64_t kSeeds = 200;
#else
inline constexpr std::uint64_t kSeeds = 1000;
#endif
#else
inline constexpr std::uint64_t kSeeds = 1000;
#endif

[[nodiscard]] inline std::uint64_t seed_count() { return tests::long_run() ? 10 * kSeeds : kSeeds; }

/// FRENZY_SEED; 0 = none.
[[nodiscard]] inline std::uint64_t wanted_seed() {
  const auto* wish = std::getenv("FRENZY_SEED");
  return wish == nullptr ? 0 : std::strtoull(wish, nullptr, 10);
}

}  // namespace frenzy::simulation
