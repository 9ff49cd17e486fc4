#include "frenzy/base/log.hpp"

#include <algorithm>

namespace frenzy {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warn: return "warn";
    case LogLevel::error: return "error";
  }
  return "unknown";
}

void MemoryLog::write(LogLevel level, std::string_view event, std::string_view text) {
  lines_.lock()->push_back(format("{} {} {}", name_of(level), event, text));
}

std::vector<std::string> MemoryLog::lines() { return *lines_.lock(); }

std::size_t MemoryLog::count(std::string_view part) {
  const auto all = lines();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& line) {
    return line.find(part) != std::string::npos;
  }));
}

}  // namespace frenzy
