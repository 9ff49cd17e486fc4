#include "frenzy/tools/device_options.hpp"

#include <unistd.h>

#include <charconv>
#include <optional>

namespace frenzy::tools {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Bytes> memory(std::string_view text) {
  double unit = 1;
  for (const auto& [suffix, size] : {std::pair{"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}}) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(3);
    unit = size;
    break;
  }
  const auto value = number(text);
  if (!value || *value <= 0 || *value * unit > 1e15) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(*value * unit)};
}

/// Half the memory, as fast as it goes.
model::DeviceSpec whole_machine() {
  model::DeviceSpec device;
  const auto half = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
  device.memory = device.free = Bytes{half >> 20 << 20};
  device.slowdown = 0;
  return device;
}

}  // namespace

Result<std::vector<model::DeviceSpec>> parse_devices(const std::vector<std::string>& texts) {
  constexpr double kCoreParts = 8;  // speed 1 is an eighth of a core
  if (texts.empty()) return std::vector{whole_machine()};
  std::vector<model::DeviceSpec> out;
  for (const auto& text : texts) {
    const auto colon = text.find(':');
    const auto bytes = memory(std::string_view(text).substr(0, colon));
    const auto speed = colon == std::string::npos ? std::optional(1.0) : number(std::string_view(text).substr(colon + 1));
    if (!bytes || !speed || *speed < 0) {
      return error(Errc::invalid_argument, "device '{}' is not MEMORY or MEMORY:SPEED, as in 512MiB:2", text);
    }
    model::DeviceSpec device;
    device.memory = device.free = *bytes;
    device.slowdown = *speed > 0 ? kCoreParts / *speed : 0;
    out.push_back(std::move(device));
  }
  return out;
}

}  // namespace frenzy::tools
