#pragma once
// What text is written on: a terminal may be redrawn, coloured and is only so wide; a file gets
// whole plain lines. Decided once from facts that main reads; everything else in this folder is a
// pure function from values to text. Thread: any.

#include <cstdint>
#include <string>
#include <string_view>

namespace frenzy::cli {

enum class Medium : std::uint8_t { terminal, file };
enum class Color : std::uint8_t { no, yes };
enum class Glyphs : std::uint8_t { ascii, unicode };

struct Surface {
  Medium medium = Medium::file;
  Color color = Color::no;
  Glyphs glyphs = Glyphs::ascii;
  std::size_t width = 80;  ///< columns; a file has no limit
};

struct SurfaceFacts {
  Medium output = Medium::file;  ///< what isatty says
  std::size_t columns = 0;       ///< of the terminal; 0 = unknown
  std::string_view no_color;     ///< NO_COLOR: anything but empty switches colour off
  std::string_view term;         ///< TERM: "dumb" cannot be redrawn
  std::string_view locale;       ///< the first of LC_ALL, LC_CTYPE, LANG that is not empty
};

[[nodiscard]] Surface surface_for(const SurfaceFacts& facts);

/// Columns that UTF-8 text takes, one a code point.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Control bytes (also DEL and the C1 codes) and malformed UTF-8 become '?': text from elsewhere
/// may not move the cursor.
[[nodiscard]] std::string clean(std::string_view text);

/// At most `width` columns; what is cut off is marked.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width, Glyphs glyphs);

}  // namespace frenzy::cli
