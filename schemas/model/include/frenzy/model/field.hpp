#pragma once
// Fields of a block's state. State is addressed by (block, field, element range) at a step.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace frenzy::model {

/// moment1, moment2: Adam's m and v.
enum class Field : std::uint8_t { weights = 1, moment1 = 2, moment2 = 3 };

inline constexpr std::array<Field, 3> kFields{Field::weights, Field::moment1, Field::moment2};

[[nodiscard]] constexpr std::string_view name_of(Field field) {
  switch (field) {
    case Field::weights: return "weights";
    case Field::moment1: return "moment1";
    case Field::moment2: return "moment2";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::optional<Field> field_named(std::string_view name) {
  for (const auto field : kFields) {
    if (name_of(field) == name) return field;
  }
  return std::nullopt;
}

}  // namespace frenzy::model
