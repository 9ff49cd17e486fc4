#include "frenzy/base/hash.hpp"

#include <array>
#include <cstring>

#include "frenzy/base/rng.hpp"
#include "frenzy/base/text.hpp"

namespace frenzy {

void append_text(std::string& out, const Fingerprint& value) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(value.high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<std::uint8_t>(value.low >> (56 - 8 * i));
  }
  out += hex(bytes);
}

void Fingerprinter::add(std::uint64_t value) {
  a_ = mix64(a_ ^ value);
  b_ = mix64(b_ + value * 0x9e3779b97f4a7c15ULL + a_);
}

void Fingerprinter::add(std::string_view value) {
  add(static_cast<std::uint64_t>(value.size()));
  for (std::size_t at = 0; at < value.size(); at += 8) {
    std::uint64_t word = 0;
    const auto part = value.substr(at, 8);
    std::memcpy(&word, part.data(), part.size());
    add(word);
  }
}

Fingerprint Fingerprinter::finish() const { return {mix64(a_ ^ (b_ << 1)), mix64(b_ ^ (a_ >> 1))}; }

}  // namespace frenzy
