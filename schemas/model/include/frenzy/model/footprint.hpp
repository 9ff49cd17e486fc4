#pragma once
// Live bytes at the peak of one program, by part. The parts sum to the total exactly.

#include <array>
#include <string_view>

#include "frenzy/base/units.hpp"

namespace frenzy::model {

/// What a buffer is for. `gaps` are bytes that packing could not use; `fixed` and `reserve` lie
/// outside the arena.
enum class Part : std::uint8_t {
  weights, gradients, optimizer, activations, logits, workspace, communication, gaps, fixed, reserve
};
inline constexpr std::size_t kParts = 10;

[[nodiscard]] std::string_view name_of(Part part);

struct Footprint {
  std::array<Bytes, kParts> parts{};

  [[nodiscard]] Bytes& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Bytes operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Bytes total() const;
  [[nodiscard]] Part largest() const;
  friend bool operator==(const Footprint&, const Footprint&) = default;
};

}  // namespace frenzy::model
