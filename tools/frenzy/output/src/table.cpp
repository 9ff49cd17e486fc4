#include "frenzy/cli/table.hpp"

#include <algorithm>
#include <numeric>

namespace frenzy::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestColumn = 8;

using Row = std::vector<std::string>;

std::vector<std::size_t> natural_widths(std::span<const Row> rows, std::size_t count) {
  std::vector<std::size_t> widths(count);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < std::min(count, row.size()); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  return widths;
}

/// Takes columns from the widest cell that may shrink, one at a time, until the line fits.
void shrink_to(std::vector<std::size_t>& widths, std::span<const Column> columns,
               std::size_t room) {
  auto total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (total > room) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool may = columns[i].shrink == Shrink::yes && widths[i] > kNarrowestColumn;
      if (may && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
    --total;
  }
}

std::string line_of(const Row& row, std::span<const Column> columns,
                    std::span<const std::size_t> widths, Glyphs glyphs) {
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), row.size()); ++i) {
    const auto cell = fitted(row[i], widths[i], glyphs);
    const std::string blanks(widths[i] - columns_of(cell), ' ');
    if (i > 0) out += std::string(kGap, ' ');
    out += columns[i].align == Align::right ? blanks + cell : cell + blanks;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace

std::string table_text(std::span<const Column> columns, std::span<const Row> rows,
                       const Surface& surface) {
  if (columns.empty()) return {};
  std::vector<Row> cells(1);
  for (const auto& column : columns) cells.front().push_back(clean(column.title));
  for (const auto& row : rows) {
    auto& cleaned = cells.emplace_back();
    for (const auto& cell : row) cleaned.push_back(clean(cell));
  }
  const bool is_terminal = surface.medium == Medium::terminal;
  auto widths = natural_widths(cells, columns.size());
  if (is_terminal) shrink_to(widths, columns, surface.width);
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto line = line_of(cells[i], columns, widths, surface.glyphs);
    if (is_terminal) line = fitted(line, surface.width, surface.glyphs);
    const bool bold = i == 0 && surface.color == Color::yes;
    out += bold ? "\x1b[1m" + line + "\x1b[0m\n" : line + "\n";
  }
  return out;
}

}  // namespace frenzy::cli
