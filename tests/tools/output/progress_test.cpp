#include "frenzy/cli/progress.hpp"

#include "frenzy/base/rng.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace frenzy;
using namespace frenzy::cli;

namespace {

const Progress kMiddle{.step = 120,
                       .steps = 1000,
                       .loss = 2.34124,
                       .tokens_per_second = 12345.0,
                       .learning_rate = 9.8e-4,
                       .memory = Bytes{1610612736},
                       .left = Seconds(723)};
const WallTime kNow{std::chrono::seconds(1796075844)};

Surface terminal(std::size_t width, Glyphs glyphs = Glyphs::ascii, Color color = Color::no) {
  return {.medium = Medium::terminal, .color = color, .glyphs = glyphs, .width = width};
}

/// The visible text of a terminal line.
std::string shown(const Progress& progress, const Surface& surface) {
  auto text = progress_text(progress, surface, kNow);
  REQUIRE(text.front() == '\r');
  REQUIRE(text.ends_with("\x1b[K"));
  return text.substr(1, text.size() - 4);
}

}  // namespace

TEST_CASE("a progress line leaves out what does not fit, the least important first", "[cli]") {
  struct Row {
    std::size_t width;
    std::string text;
  };
  for (const auto& row :
       {Row{120,
            "[###...........................]  120/1000  loss 2.3412  12.3k tok/s  lr 9.80e-04  "
            "1.50 GiB  ETA 12:03"},
        Row{90,
            "[##...............]  120/1000  loss 2.3412  12.3k tok/s  lr 9.80e-04  1.50 GiB  ETA "
            "12:03"},
        Row{80, "120/1000  loss 2.3412  12.3k tok/s  lr 9.80e-04  1.50 GiB  ETA 12:03"},
        Row{60, "120/1000  loss 2.3412  12.3k tok/s  1.50 GiB  ETA 12:03"},
        Row{50, "120/1000  loss 2.3412  12.3k tok/s  ETA 12:03"},
        Row{40, "120/1000  loss 2.3412  ETA 12:03"}, Row{30, "120/1000  loss 2.3412"},
        Row{20, "120/1000"}}) {
    INFO(row.width);
    CHECK(shown(kMiddle, terminal(row.width)) == row.text);
  }
}

TEST_CASE("a bar shows eighths and colour only where it may", "[cli]") {
  const Progress half{.step = 1,
                      .steps = 2,
                      .loss = {},
                      .tokens_per_second = {},
                      .learning_rate = {},
                      .memory = {},
                      .left = {}};
  CHECK(shown(half, terminal(20)) == "[######......]  1/2");
  CHECK(shown(half, terminal(20, Glyphs::unicode)) ==
        "\u2595\u2588\u2588\u2588\u2588\u2588\u2588      \u258f  1/2");
  CHECK(shown(half, terminal(20, Glyphs::ascii, Color::yes)) ==
        "[\x1b[32m######\x1b[0m......]  1/2");
  CHECK(shown({.step = 0,
               .steps = 0,
               .loss = {},
               .tokens_per_second = {},
               .learning_rate = {},
               .memory = {},
               .left = {}},
              terminal(20)) == "[............]  0/0");
}

TEST_CASE("a line in a file is plain, timed and whole", "[cli]") {
  CHECK(progress_text(kMiddle, {}, kNow) ==
        "2026-11-30T21:57:24Z step=120/1000 loss=2.3412 tokens_per_second=12345 lr=0.00098 "
        "memory_bytes=1610612736 seconds_left=723\n");
  CHECK(progress_text({.step = 0,
                       .steps = 5,
                       .loss = {},
                       .tokens_per_second = {},
                       .learning_rate = {},
                       .memory = {},
                       .left = {}},
                      {}, kNow) == "2026-11-30T21:57:24Z step=0/5\n");
  CHECK(progress_end({}).empty());
  CHECK(progress_end(terminal(80)) == "\n");
}

TEST_CASE("for any values a terminal line fits and a file line has no control byte", "[cli]") {
  Rng rng(8);
  for (int round = 0; round < 2000; ++round) {
    const auto some = [&](double scale) {
      return rng.below(4) == 0 ? std::optional<double>() : std::optional(scale * rng.uniform());
    };
    Progress p{.step = rng.next() >> rng.below(64),
               .steps = rng.next() >> rng.below(64),
               .loss = some(1e9),
               .tokens_per_second = some(1e8),
               .learning_rate = some(1),
               .memory = {},
               .left = {}};
    if (rng.below(2) == 0) p.memory = Bytes{rng.next() >> rng.below(64)};
    if (rng.below(2) == 0) p.left = Seconds(rng.uniform() * 1e7);
    const auto width = 20 + rng.below(120);
    const auto glyphs = rng.below(2) == 0 ? Glyphs::ascii : Glyphs::unicode;
    REQUIRE(columns_of(shown(p, terminal(width, glyphs))) < width);
    const auto line = progress_text(
        p, {.medium = Medium::file, .color = Color::no, .glyphs = glyphs, .width = width}, kNow);
    REQUIRE(line.back() == '\n');
    REQUIRE(std::all_of(line.begin(), line.end() - 1, [](char c) { return c >= ' ' && c <= '~'; }));
  }
}
