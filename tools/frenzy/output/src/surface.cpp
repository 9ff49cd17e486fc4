#include "frenzy/cli/surface.hpp"

#include <algorithm>
#include <cctype>

namespace frenzy::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kNarrowest = 20;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

bool says_utf8(std::string_view locale) {
  std::string lower;
  for (const char c : locale) {
    if (c != '-') lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower.find("utf8") != std::string::npos;
}

/// Bytes of the code point that `text` begins with; 0 if it is malformed.
std::size_t code_point(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                     is_continuation)
             ? length
             : 0;
}

bool is_control(std::string_view code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(code[i]); };
  return byte(0) < 0x20 || byte(0) == 0x7f ||
         (code.size() == 2 && byte(0) == 0xc2 && byte(1) < 0xa0);
}

}  // namespace

Surface surface_for(const SurfaceFacts& facts) {
  const bool redraws = facts.output == Medium::terminal && facts.term != "dumb";
  Surface out;
  out.medium = redraws ? Medium::terminal : Medium::file;
  out.color = redraws && facts.no_color.empty() ? Color::yes : Color::no;
  out.glyphs = says_utf8(facts.locale) ? Glyphs::unicode : Glyphs::ascii;
  out.width = facts.columns == 0 ? kUsualWidth : std::max(facts.columns, kNarrowest);
  return out;
}

std::size_t columns_of(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto length = code_point(text);
    const auto code = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(code)) {
      out += '?';
    } else {
      out += code;
    }
    text.remove_prefix(code.size());
  }
  return out;
}

std::string fitted(std::string_view text, std::size_t width, Glyphs glyphs) {
  if (columns_of(text) <= width) return std::string(text);
  const std::string_view mark = glyphs == Glyphs::unicode ? "\u2026" : "~";
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && columns++ == width - 1) break;
  }
  return std::string(text.substr(0, end)) + std::string(mark);
}

}  // namespace frenzy::cli
