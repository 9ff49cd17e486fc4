#include "frenzy/cli/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace frenzy::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// Bytes of the well-formed code point (RFC 3629) at the front; 0 if there is none.
std::size_t well_formed(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text, i)) return 0;
  }
  if (first == 0xe0 && byte(1) < 0xa0) return 0;  // longer than needed
  if (first == 0xed && byte(1) > 0x9f) return 0;  // a surrogate
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7f) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto length = well_formed(text);
    if (length == 0) {
      out += kReplacement;
    } else if (length == 1) {
      append_escaped(out, text.front());
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + '"';
}

void JsonWriter::comma() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) out_ += ',';
  filled_.back() = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  comma();
  out_ += bracket;
  filled_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  filled_.pop_back();
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view token) {
  comma();
  out_ += token;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  comma();
  out_ += json_string(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return raw(json_string(text)); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return raw("null");
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

}  // namespace frenzy::cli
