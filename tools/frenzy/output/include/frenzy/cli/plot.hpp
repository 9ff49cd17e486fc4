#pragma once
// A loss curve drawn with characters: braille dots (2 x 4 a cell), or '*' where only ASCII prints.

#include "frenzy/cli/surface.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace frenzy::cli {

struct CurvePoint {
  std::uint64_t step = 0;
  double loss = 0.0;
};

struct PlotSize {
  std::size_t width = 72;   ///< columns in all, at least 20
  std::size_t height = 12;  ///< lines of the curve, at least 3; two more hold the axis
};

/// Lines with newlines: numbers at top, middle and bottom of the left axis, first and last step
/// below. `points` ascend in step. Several points in one column are averaged, gaps are bridged by
/// straight lines, values that are not finite are left out and counted below. No control bytes.
[[nodiscard]] std::string plot_text(std::span<const CurvePoint> points, PlotSize size,
                                    Glyphs glyphs);

}  // namespace frenzy::cli
