#include "frenzy/cli/plot.hpp"

#include "frenzy/base/rng.hpp"
#include "frenzy/base/text.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace frenzy;
using namespace frenzy::cli;

namespace {

std::vector<CurvePoint> falling(std::uint64_t count) {
  std::vector<CurvePoint> out;
  for (std::uint64_t i = 1; i <= count; ++i) {
    out.push_back(
        {i, 1.5 + 4.0 * std::exp(-static_cast<double>(i) / (static_cast<double>(count) / 5))});
  }
  return out;
}

}  // namespace

TEST_CASE("a falling loss is drawn with numbers on both axes", "[cli]") {
  CHECK(plot_text(falling(120), {.width = 40, .height = 8}, Glyphs::ascii) ==
        "5.34 |*\n"
        "     | *\n"
        "     |  *\n"
        "3.70 |   **\n"
        "     |     **\n"
        "     |       ****\n"
        "     |           ******\n"
        "1.53 |                 *****************\n"
        "     +----------------------------------\n"
        "      step 1                         120\n");
  CHECK(plot_text(falling(120), {.width = 40, .height = 5}, Glyphs::unicode) ==
        "5.34 │⠑⡄\n"
        "     │ ⠈⠢⡀\n"
        "3.43 │   ⠈⠒⢄⡀\n"
        "     │      ⠈⠑⠢⠤⣀⡀\n"
        "1.53 │           ⠈⠉⠑⠒⠒⠒⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀\n"
        "     └──────────────────────────────────\n"
        "      step 1                         120\n");
}

TEST_CASE("few points are joined, one point and a flat curve are drawn", "[cli]") {
  const std::vector<CurvePoint> two{{10, 4.0}, {20, 2.0}};
  CHECK(plot_text(two, {.width = 20, .height = 3}, Glyphs::ascii) ==
        "4.00 |****\n3.00 |    ******\n2.00 |          ****\n     +--------------\n      step 10   "
        "  20\n");
  CHECK(plot_text(std::span(two).first(1), {.width = 20, .height = 3}, Glyphs::ascii) ==
        "4.0400 |\n4.0000 |*\n3.9600 |\n       +------------\n        step 10\n");
  const std::vector<CurvePoint> flat{{1, 3.0}, {2, 3.0}, {3, 3.0}};
  CHECK(plot_text(flat, {.width = 20, .height = 3}, Glyphs::ascii) ==
        "3.0300 |\n3.0000 |************\n2.9700 |\n       +------------\n        step 1     3\n");
}

TEST_CASE("losses that are not finite are counted, not drawn", "[cli]") {
  constexpr auto kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<CurvePoint> some{{1, 4.0}, {2, kNan}, {3, 2.0}};
  CHECK(plot_text(some, {}, Glyphs::ascii).ends_with("\n1 losses are not finite\n"));
  const std::vector<CurvePoint> none{{1, kNan}};
  CHECK(plot_text(none, {}, Glyphs::ascii) == "no losses to draw\n1 losses are not finite\n");
  CHECK(plot_text({}, {}, Glyphs::ascii) == "no losses to draw\n");
}

TEST_CASE("any curve fits its size and prints nothing but characters", "[cli]") {
  Rng rng(12);
  for (int round = 0; round < 500; ++round) {
    std::vector<CurvePoint> points;
    std::uint64_t step = rng.below(1'000'000);
    const auto scale = std::pow(10.0, rng.uniform() * 16 - 8);
    for (auto i = 1 + rng.below(300); i > 0; --i) {
      points.push_back({step, (rng.uniform() - 0.3) * scale});
      step += rng.below(5);
    }
    const PlotSize size{.width = 20 + rng.below(100), .height = 3 + rng.below(20)};
    const auto glyphs = rng.below(2) == 0 ? Glyphs::ascii : Glyphs::unicode;
    const auto text = plot_text(points, size, glyphs);
    const auto lines = split(text, '\n');
    REQUIRE(lines.size() == size.height + 3);
    for (const auto line : lines) {
      REQUIRE(columns_of(line) <= size.width);
      REQUIRE(clean(line) == line);
    }
  }
}
