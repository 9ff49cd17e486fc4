#pragma once
// The version of this build; CMake reads it from here.

#include <string_view>

namespace frenzy {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace frenzy
