#pragma once
// Scalar types of parameters, activations and transfers. A field of the plan and of every buffer.

#include <cstdint>
#include <optional>
#include <string_view>

#include "frenzy/base/units.hpp"

namespace frenzy::model {

enum class Scalar : std::uint8_t { fp32 = 1, fp64 = 2, bf16 = 3, fp16 = 4, int32 = 5, byte = 6 };

[[nodiscard]] constexpr std::uint64_t size_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::fp64: return 8;
    case Scalar::fp32:
    case Scalar::int32: return 4;
    case Scalar::bf16:
    case Scalar::fp16: return 2;
    case Scalar::byte: return 1;
  }
  return 1;
}

[[nodiscard]] constexpr std::string_view name_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::fp32: return "fp32";
    case Scalar::fp64: return "fp64";
    case Scalar::bf16: return "bf16";
    case Scalar::fp16: return "fp16";
    case Scalar::int32: return "int32";
    case Scalar::byte: return "byte";
  }
  return "unknown";
}

}  // namespace frenzy::model
