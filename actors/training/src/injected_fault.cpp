#include "frenzy/training/injected_fault.hpp"

#include <charconv>
#include <optional>

#include "frenzy/base/text.hpp"

namespace frenzy::training {
namespace {

using program::Opcode;

std::optional<Opcode> opcode_of(std::string_view name) {
  for (auto code = static_cast<unsigned>(Opcode::load); code <= static_cast<unsigned>(Opcode::prefetch); ++code) {
    if (program::name_of(static_cast<Opcode>(code)) == name) return static_cast<Opcode>(code);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> step_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
  return value;
}

}  // namespace

Result<InjectedFault> parse_fault(std::string_view text) {
  const auto first = text.find(':');
  const auto second = first == std::string_view::npos ? first : text.find(':', first + 1);
  const auto device = text.substr(0, first);
  const auto step = first == std::string_view::npos ? std::nullopt : step_of(text.substr(first + 1, second - first - 1));
  const auto opcode = second == std::string_view::npos ? std::optional(Opcode::forward) : opcode_of(text.substr(second + 1));
  if (device.empty() || !step || !opcode) {
    return error(Errc::invalid_argument, "fault '{}' is not DEVICE:STEP or DEVICE:STEP:INSTRUCTION, as in cpu0:7:forward",
                 printable(text, 64));
  }
  return InjectedFault{std::string(device), {.fail_at_step = *step, .fail_opcode = *opcode}};
}

Result<std::vector<InjectedFault>> parse_faults(const std::vector<std::string>& texts) {
  std::vector<InjectedFault> out;
  for (const auto& text : texts) {
    auto fault = parse_fault(text);
    if (!fault) return fault.error();
    out.push_back(std::move(*fault));
  }
  return out;
}

executor::Faults faults_of(const std::vector<InjectedFault>& all, std::string_view device) {
  const auto name = device.substr(device.rfind('/') + 1);
  for (const auto& fault : all) {
    if (fault.device == name) return fault.faults;
  }
  return {};
}

}  // namespace frenzy::training
