#pragma once
// Strong units. Arithmetic stays inside a unit; ratios are plain numbers. Times are std::chrono.

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>

namespace frenzy {

template <class Tag, class Rep>
struct Quantity {
  Rep value{};

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  constexpr Quantity& operator+=(Quantity other) { value += other.value; return *this; }
  constexpr Quantity& operator-=(Quantity other) { value -= other.value; return *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, Rep n) { return {a.value * n}; }
  friend constexpr Quantity operator*(Rep n, Quantity a) { return {a.value * n}; }
  friend constexpr Quantity operator/(Quantity a, Rep n) { return {a.value / n}; }
};

using Bytes = Quantity<struct BytesTag, std::uint64_t>;
using Flops = Quantity<struct FlopsTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;

/// Wall or virtual seconds of costs and measurements; deadlines use std::chrono clocks.
using Seconds = std::chrono::duration<double>;

constexpr Bytes operator""_B(unsigned long long n) { return {n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {n << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {n << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return {n << 30}; }

/// Smallest multiple of `alignment` (a power of two) that is not below `bytes`.
constexpr Bytes aligned(Bytes bytes, std::uint64_t alignment) {
  return {(bytes.value + alignment - 1) & ~(alignment - 1)};
}

/// "512 B", "1.50 MiB", "43.1 GiB".
void append_text(std::string& out, Bytes value);

}  // namespace frenzy
