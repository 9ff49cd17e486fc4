#include "frenzy/cli/human.hpp"

#include "frenzy/base/format.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace frenzy::cli {
namespace {

std::string two_digits(std::uint64_t value) {
  return (value < 10 ? "0" : "") + format("{}", value);
}

}  // namespace

std::string duration_text(Seconds duration) {
  const double value = duration.count();
  if (!std::isfinite(value) || value < 0.0 || value > 1e12) return "?";
  const auto seconds = static_cast<std::uint64_t>(std::llround(value));
  const auto minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  if (days > 0) return format("{}d {}:{}", days, two_digits(hours % 24), two_digits(minutes % 60));
  if (hours > 0)
    return format("{}:{}:{}", hours, two_digits(minutes % 60), two_digits(seconds % 60));
  return format("{}:{}", minutes, two_digits(seconds % 60));
}

std::string count_text(double count) {
  constexpr std::array<const char*, 5> kUnits{"", "k", "M", "G", "T"};
  if (!std::isfinite(count)) return "?";
  std::size_t unit = 0;
  while (std::abs(count) >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000.0;
    ++unit;
  }
  const double size = std::abs(count);
  const int precision = size >= 99.95 ? 0 : size >= 9.995 ? (unit == 0 ? 0 : 1) : 2;
  const bool whole = unit == 0 && count == std::floor(count);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f%s", whole ? 0 : precision, count, kUnits[unit]);
  return text.data();
}

std::string time_text(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

}  // namespace frenzy::cli
