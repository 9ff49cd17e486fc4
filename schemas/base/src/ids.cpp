#include "frenzy/base/ids.hpp"

#include "frenzy/base/rng.hpp"
#include "frenzy/base/text.hpp"

namespace frenzy {
namespace {

constexpr std::array<std::size_t, 4> kDashes{8, 13, 18, 23};

bool is_dash_place(std::size_t i) {
  for (const auto dash : kDashes) {
    if (i == dash) return true;
  }
  return false;
}

}  // namespace

Uuid Uuid::random(Rng& rng) {
  Uuid out;
  for (std::size_t half = 0; half < 2; ++half) {
    const auto word = rng.next();
    for (std::size_t i = 0; i < 8; ++i) {
      out.bytes[half * 8 + i] = static_cast<std::uint8_t>(word >> (8 * i));
    }
  }
  out.bytes[6] = static_cast<std::uint8_t>((out.bytes[6] & 0x0f) | 0x40);
  out.bytes[8] = static_cast<std::uint8_t>((out.bytes[8] & 0x3f) | 0x80);
  return out;
}

Result<Uuid> Uuid::parse(std::string_view text) {
  const auto bad = [&] {
    return frenzy::error(Errc::invalid_argument, "'{}' is not a UUID", printable(text, 64));
  };
  if (text.size() != 36) return bad();
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i) != (text[i] == '-')) return bad();
    if (text[i] != '-') digits += text[i];
  }
  Uuid out;
  if (!parse_hex(digits, out.bytes)) return bad();
  return out;
}

void append_text(std::string& out, const Uuid& value) {
  const auto digits = hex(value.bytes);
  for (std::size_t i = 0, at = 0; i < 36; ++i) out += is_dash_place(i) ? '-' : digits[at++];
}

}  // namespace frenzy
