#pragma once
// A 128-bit fingerprint that detects difference by accident (programs, plans, traces). It is not
// cryptographic: content that comes from elsewhere is named by ContentDigest.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace frenzy {

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// 32 hexadecimal digits.
void append_text(std::string& out, const Fingerprint& value);

/// Order matters: add(1), add(2) differs from add(2), add(1). Strings are length-prefixed.
class Fingerprinter {
 public:
  void add(std::uint64_t value);
  void add(std::string_view value);
  [[nodiscard]] Fingerprint finish() const;

 private:
  std::uint64_t a_ = 0x243f6a8885a308d3ULL;
  std::uint64_t b_ = 0x13198a2e03707344ULL;
};

}  // namespace frenzy
