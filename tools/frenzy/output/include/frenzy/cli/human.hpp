#pragma once
// Numbers for people. Byte sizes are base's: format("{}", Bytes).

#include "frenzy/base/clock.hpp"
#include "frenzy/base/units.hpp"

#include <string>

namespace frenzy::cli {

/// "0:07", "12:03", "3:25:09", "2d 04:11"; rounded to seconds; "?" if negative or not finite.
[[nodiscard]] std::string duration_text(Seconds duration);

/// Three digits or so: "0.25", "950", "12.3k", "4.56M", "1.20G".
[[nodiscard]] std::string count_text(double count);

/// "2026-11-30T21:57:24Z".
[[nodiscard]] std::string time_text(WallTime time);

}  // namespace frenzy::cli
