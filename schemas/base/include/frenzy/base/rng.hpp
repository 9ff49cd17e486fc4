#pragma once
// Random numbers. `Rng` is a sequence (splitmix64, Steele et al. 2014) whose seed is passed in;
// `counter_random` is a pure function of (key, counter), so that a value does not depend on who
// asks for it or in which order: initial weights, sample order and dropout are made with it.

#include <cstdint>
#include <string_view>

namespace frenzy {

/// Avalanche of 64 bits (splitmix64's finaliser).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

[[nodiscard]] constexpr std::uint64_t counter_random(std::uint64_t key, std::uint64_t counter) {
  return mix64(mix64(key + 0x9e3779b97f4a7c15ULL) ^ (counter * 0x9e3779b97f4a7c15ULL + 1));
}

/// A key for counter_random from a seed and a name.
[[nodiscard]] std::uint64_t random_key(std::uint64_t seed, std::string_view name);

/// In [0, 1), 53 bits.
[[nodiscard]] constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

/// Standard normal at (key, counter), by Box-Muller in double. The same bits everywhere libm agrees.
[[nodiscard]] double counter_normal(std::uint64_t key, std::uint64_t counter);

/// Thread: one at a time.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix64(state_);
  }
  /// Uniform in [0, bound), bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  [[nodiscard]] double uniform() { return unit_interval(next()); }

 private:
  std::uint64_t state_;
};

/// A seed from the operating system. Only mains call it, to name things that must be unique.
[[nodiscard]] std::uint64_t seed_from_system();

}  // namespace frenzy
