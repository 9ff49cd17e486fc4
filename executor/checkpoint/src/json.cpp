#include "json.hpp"

#include "frenzy/base/format.hpp"
#include "frenzy/base/text.hpp"

#include <algorithm>
#include <charconv>

namespace frenzy::executor::checkpoint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::size_t longest_string)
    : text_(text), longest_string_(longest_string) {}

void JsonReader::fail(std::string_view reason) {
  if (!failed()) reason_ = format("{} at byte {}", reason, at_);
}

void JsonReader::fail_duplicate(std::string_view key) {
  fail(format("duplicate key '{}'", printable(key, 64)));
}

void JsonReader::skip_blanks() {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
    ++at_;
  }
}

bool JsonReader::take(char c) {
  skip_blanks();
  if (failed() || at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char c, std::string_view what) {
  if (take(c) || failed()) return;
  if (at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '[')) {
    fail(format("expected {}, found nested '{}'", what, text_[at_]));
  } else {
    fail(format("expected {}", what));
  }
}

std::uint32_t JsonReader::hex4() {
  std::uint32_t value = 0;
  const auto digits = text_.substr(at_, 4);
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  if (digits.size() != 4 || end != digits.data() + 4) {
    fail("a \\u escape without four hexadecimal digits");
    return 0;
  }
  at_ += 4;
  return value;
}

void JsonReader::read_escape(std::string& out) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  ++at_;
  if (c != 'u') {
    const auto found = kEscapes.find(c);
    if (found == std::string_view::npos) return fail("an unknown escape");
    out += kMeanings[found];
    return;
  }
  auto code = hex4();
  if (code >= 0xd800 && code < 0xdc00) {
    const bool pair = text_.substr(at_, 2) == "\\u";
    if (pair) at_ += 2;
    const auto low = pair ? hex4() : 0;
    if (low < 0xdc00 || low > 0xdfff) return fail("half a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
  } else if (code >= 0xdc00 && code < 0xe000) {
    return fail("half a surrogate pair");
  }
  append_utf8(out, code);
}

std::string JsonReader::string() {
  std::string out;
  expect('"', "a string");
  while (!failed()) {
    if (at_ >= text_.size()) {
      fail("a string without end");
      break;
    }
    const char c = text_[at_++];
    if (c == '"') return out;
    if (static_cast<unsigned char>(c) < 0x20) fail("a control byte in a string");
    if (c == '\\') {
      read_escape(out);
    } else {
      out += c;
    }
    if (out.size() > longest_string_)
      fail(format("a string of more than {} bytes", longest_string_));
  }
  return {};
}

std::uint64_t JsonReader::unsigned_integer() {
  skip_blanks();
  if (failed()) return 0;
  const auto rest = text_.substr(std::min(at_, text_.size()));
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  const bool leading_zero = length > 1 && rest[0] == '0';
  const bool fraction =
      length < rest.size() && std::string_view(".eE").find(rest[length]) != std::string_view::npos;
  const bool nested = !rest.empty() && (rest[0] == '[' || rest[0] == '{');
  if (length == 0 || leading_zero || fraction) {
    fail(nested ? "expected an unsigned integer, found nesting" : "expected an unsigned integer");
    return 0;
  }
  const auto value = parse_unsigned(rest.substr(0, length));
  if (!value) {
    fail("a number of more than 64 bits");
    return 0;
  }
  at_ += length;
  return *value;
}

double JsonReader::number() {
  skip_blanks();
  if (failed()) return 0.0;
  const auto rest = text_.substr(std::min(at_, text_.size()));
  const auto length = std::min(rest.find_first_not_of("+-.0123456789eE"), rest.size());
  double value = 0.0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + length, value);
  if (length == 0 || parsed.ec != std::errc{} || parsed.ptr != rest.data() + length) {
    fail("expected a number");
    return 0.0;
  }
  at_ += length;
  return value;
}

void JsonReader::finish() {
  skip_blanks();
  if (at_ < text_.size()) fail("text after the end");
}

namespace {

/// Bytes of a character that begins with `first`; 0 if none does.
std::size_t utf8_length(unsigned first) {
  struct Row { unsigned below; std::size_t length; };
  constexpr Row kRows[] = {{0x80, 1}, {0xc2, 0}, {0xe0, 2}, {0xf0, 3}, {0xf5, 4}};
  for (const auto& row : kRows) {
    if (first < row.below) return row.length;
  }
  return 0;
}

/// Overlong forms, surrogates, and what is above U+10FFFF.
bool utf8_out_of_range(unsigned first, unsigned second) {
  switch (first) {
    case 0xe0: return second < 0xa0;
    case 0xed: return second > 0x9f;
    case 0xf0: return second < 0x90;
    case 0xf4: return second > 0x8f;
    default: return false;
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  const auto byte = [&](std::size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  while (at < text.size()) {
    const auto length = utf8_length(byte(0));
    if (length == 0 || utf8_out_of_range(byte(0), byte(1))) return false;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte(i) & 0xc0U) != 0x80) return false;
    }
    at += length;
  }
  return true;
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00" + hex(std::span(&byte, 1));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace frenzy::executor::checkpoint
