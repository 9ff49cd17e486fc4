#include "frenzy/cli/plot.hpp"

#include "frenzy/base/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

namespace frenzy::cli {
namespace {

struct Extent {
  double low = 0.0, high = 0.0;
  [[nodiscard]] double size() const { return high - low; }
};

struct Style {
  std::size_t across, down;  ///< dots in a cell
  std::string_view side, corner, line;
};

constexpr Style kBraille{2, 4, "\u2502", "\u2514", "\u2500"};
constexpr Style kAscii{1, 1, "|", "+", "-"};

/// Dots that can be set, read back as characters.
class Canvas {
 public:
  Canvas(const Style& style, std::size_t columns, std::size_t rows)
      : style_(style), columns_(columns), dots_(columns * style.across * rows * style.down) {}

  [[nodiscard]] std::size_t width() const { return columns_ * style_.across; }
  [[nodiscard]] std::size_t height() const { return dots_.size() / width(); }
  void set(std::size_t x, std::size_t y) { dots_[y * width() + x] = true; }

  [[nodiscard]] std::string row(std::size_t row) const {
    std::string out;
    for (std::size_t column = 0; column < columns_; ++column) {
      out += style_.down == 1 ? std::string(dot(column, row) ? "*" : " ") : braille(column, row);
    }
    return out;
  }

 private:
  [[nodiscard]] bool dot(std::size_t x, std::size_t y) const { return dots_[y * width() + x]; }

  // Unicode 1.1, block U+2800: bit of the dot at (row, column) of a cell.
  [[nodiscard]] std::string braille(std::size_t column, std::size_t row) const {
    constexpr std::array<std::array<unsigned, 2>, 4> kBits{
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    unsigned bits = 0;
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 2; ++x) {
        if (dot(column * 2 + x, row * 4 + y)) bits |= kBits[y][x];
      }
    }
    if (bits == 0) return " ";
    return {'\xe2', static_cast<char>(0xa0 | bits >> 6), static_cast<char>(0x80 | (bits & 0x3f))};
  }

  Style style_;
  std::size_t columns_;
  std::vector<bool> dots_;
};

Extent extent_of(std::span<const CurvePoint> points) {
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.loss < b.loss; });
  Extent out{low->loss, high->loss};
  if (out.size() > 0.0) return out;
  const auto margin = std::max(std::abs(out.low) * 0.01, 1e-6);
  return {out.low - margin, out.high + margin};
}

/// Mean loss a dot column; columns without a point lie on the line between their neighbours.
std::vector<double> sampled(std::span<const CurvePoint> points, std::size_t columns) {
  std::vector<double> sums(columns), counts(columns);
  const auto first = points.front().step;
  const auto span = static_cast<double>(points.back().step - first);
  for (const auto& point : points) {
    const auto place = span == 0.0 ? 0.0 : static_cast<double>(point.step - first) / span;
    const auto column =
        static_cast<std::size_t>(std::lround(place * static_cast<double>(columns - 1)));
    sums[column] += point.loss;
    counts[column] += 1.0;
  }
  std::vector<double> out;
  std::size_t last = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    if (counts[column] == 0.0) continue;
    const auto mean = sums[column] / counts[column];
    const auto before = out.empty() ? mean : out.back();
    const auto gap = column - last;
    for (std::size_t step = 1; step < gap; ++step) {
      out.push_back(before + (mean - before) * static_cast<double>(step) / static_cast<double>(gap));
    }
    out.push_back(mean);
    last = column;
  }
  return out;
}

void draw(Canvas& canvas, std::span<const double> curve, const Extent& extent) {
  const auto bottom = static_cast<double>(canvas.height() - 1);
  std::optional<std::size_t> before;
  for (std::size_t x = 0; x < curve.size(); ++x) {
    const auto share = (extent.high - curve[x]) / extent.size();
    const auto y = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * bottom));
    auto from = y, to = y;
    if (before && *before + 1 < y) from = *before + 1;
    if (before && *before > y + 1) to = *before - 1;
    for (auto at = from; at <= to; ++at) canvas.set(x, at);
    before = y;
  }
}

std::string number(double value, double step) {
  const bool plain = std::abs(value) < 1e6 && step > 1e-6;
  const auto digits = static_cast<int>(std::clamp(2.0 - std::floor(std::log10(step)), 0.0, 6.0));
  std::array<char, 48> text{};
  if (plain) {
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  } else {
    std::snprintf(text.data(), text.size(), "%.2e", value);
  }
  return text.data();
}

std::string steps_line(std::span<const CurvePoint> points, std::size_t indent,
                       std::size_t columns) {
  const auto first = format("{}", points.front().step);
  const auto named = "step " + first;
  const auto left = fitted(named.size() <= columns ? named : first, columns, Glyphs::ascii);
  const auto right = format("{}", points.back().step);
  std::string out(indent, ' ');
  out += left;
  if (points.size() > 1 && left.size() + right.size() + 1 <= columns) {
    out += std::string(columns - left.size() - right.size(), ' ') + right;
  }
  return out + '\n';
}

std::string drawn(std::span<const CurvePoint> points, PlotSize size, const Style& style) {
  const auto extent = extent_of(points);
  const auto middle = (size.height - 1) / 2;
  const auto middle_share = static_cast<double>(middle) / static_cast<double>(size.height - 1);
  const std::array<std::string, 3> labels{
      number(extent.high, extent.size()),
      number(extent.high - extent.size() * middle_share, extent.size()),
      number(extent.low, extent.size())};
  std::size_t indent = 0;
  for (const auto& label : labels) indent = std::max(indent, label.size());
  const auto columns = size.width - indent - 2;
  Canvas canvas(style, columns, size.height);
  draw(canvas, sampled(points, canvas.width()), extent);

  std::string out;
  for (std::size_t row = 0; row < size.height; ++row) {
    std::string label;
    if (row == 0) label = labels[0];
    if (row == middle) label = labels[1];
    if (row + 1 == size.height) label = labels[2];
    auto line = std::string(indent - label.size(), ' ') + label + ' ' + std::string(style.side) +
                canvas.row(row);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  out += std::string(indent + 1, ' ') + std::string(style.corner);
  for (std::size_t i = 0; i < columns; ++i) out += style.line;
  return out + '\n' + steps_line(points, indent + 2, columns);
}

}  // namespace

std::string plot_text(std::span<const CurvePoint> points, PlotSize size, Glyphs glyphs) {
  size.width = std::max<std::size_t>(size.width, 20);
  size.height = std::max<std::size_t>(size.height, 3);
  std::vector<CurvePoint> finite;
  std::copy_if(points.begin(), points.end(), std::back_inserter(finite),
               [](const CurvePoint& point) { return std::isfinite(point.loss); });
  const auto left_out = points.size() - finite.size();
  auto out = finite.empty() ? std::string("no losses to draw\n")
                            : drawn(finite, size, glyphs == Glyphs::unicode ? kBraille : kAscii);
  if (left_out > 0) out += format("{} losses are not finite\n", left_out);
  return out;
}

}  // namespace frenzy::cli
