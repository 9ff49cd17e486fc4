#pragma once
// Aligned columns.

#include "frenzy/cli/surface.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frenzy::cli {

enum class Align : std::uint8_t { left, right };
enum class Shrink : std::uint8_t { no, yes };

struct Column {
  std::string title;
  Align align = Align::left;
  Shrink shrink = Shrink::no;  ///< may be cut (to 8 columns) where a terminal is too narrow
};

/// Title line and rows, each with a newline and without blanks at the end. Cells are cleaned; a row
/// with fewer cells than columns ends early. On a terminal no line is wider than the surface.
[[nodiscard]] std::string table_text(std::span<const Column> columns,
                                     std::span<const std::vector<std::string>> rows,
                                     const Surface& surface);

}  // namespace frenzy::cli
