#include "frenzy/cli/human.hpp"

#include "frenzy/cli/surface.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace frenzy;
using namespace frenzy::cli;

TEST_CASE("durations read like a clock", "[cli]") {
  struct Row {
    double seconds;
    std::string text;
  };
  for (const auto& row :
       {Row{0, "0:00"}, Row{6.6, "0:07"}, Row{59.6, "1:00"}, Row{723, "12:03"},
        Row{3600, "1:00:00"}, Row{12309, "3:25:09"}, Row{86399, "23:59:59"},
        Row{187860, "2d 04:11"}, Row{-1, "?"}, Row{std::numeric_limits<double>::infinity(), "?"}}) {
    CHECK(duration_text(Seconds(row.seconds)) == row.text);
  }
}

TEST_CASE("counts keep about three digits", "[cli]") {
  struct Row {
    double count;
    std::string text;
  };
  for (const auto& row :
       {Row{0, "0"}, Row{0.25, "0.25"}, Row{7, "7"}, Row{9.5, "9.50"}, Row{12.4, "12"},
        Row{950, "950"}, Row{999.7, "1.00k"}, Row{1000, "1.00k"}, Row{12345, "12.3k"},
        Row{123456, "123k"}, Row{4.56e6, "4.56M"}, Row{1.2e9, "1.20G"}, Row{5e15, "5000T"},
        Row{std::numeric_limits<double>::quiet_NaN(), "?"}}) {
    CHECK(count_text(row.count) == row.text);
  }
}

TEST_CASE("times are UTC to the second", "[cli]") {
  CHECK(time_text(WallTime{}) == "1970-01-01T00:00:00Z");
  CHECK(time_text(WallTime{std::chrono::seconds(1796075844)}) == "2026-11-30T21:57:24Z");
  CHECK(time_text(WallTime{std::chrono::milliseconds(951782399999)}) == "2000-02-28T23:59:59Z");
}

TEST_CASE("a surface follows the terminal, NO_COLOR and the locale", "[cli]") {
  const auto terminal = surface_for({.output = Medium::terminal,
                                     .columns = 120,
                                     .no_color = "",
                                     .term = "xterm",
                                     .locale = "en_GB.UTF-8"});
  CHECK(terminal.medium == Medium::terminal);
  CHECK(terminal.color == Color::yes);
  CHECK(terminal.glyphs == Glyphs::unicode);
  CHECK(terminal.width == 120);
  CHECK(surface_for({.output = Medium::terminal,
                     .columns = 0,
                     .no_color = "1",
                     .term = "xterm",
                     .locale = "C.utf8"})
            .color == Color::no);
  const auto dumb = surface_for(
      {.output = Medium::terminal, .columns = 3, .no_color = "", .term = "dumb", .locale = "C"});
  CHECK(dumb.medium == Medium::file);
  CHECK(dumb.color == Color::no);
  CHECK(dumb.glyphs == Glyphs::ascii);
  CHECK(dumb.width == 20);
  CHECK(surface_for({}).width == 80);
}

TEST_CASE("text is cut by columns, not by bytes, and says so", "[cli]") {
  CHECK(columns_of("na\u00efve") == 5);
  CHECK(fitted("na\u00efve", 5, Glyphs::unicode) == "na\u00efve");
  CHECK(fitted("na\u00efve", 4, Glyphs::unicode) == "na\u00ef\u2026");
  CHECK(fitted("naive", 4, Glyphs::ascii) == "nai~");
  CHECK(fitted("naive", 1, Glyphs::ascii) == "~");
  CHECK(fitted("naive", 0, Glyphs::ascii).empty());
}

TEST_CASE("text from elsewhere cannot move the cursor", "[cli]") {
  CHECK(clean("a\x1b[2Jb\r\n\x7f") == "a?[2Jb???");
  CHECK(clean("\u00e9\u2026\U0001f600") == "\u00e9\u2026\U0001f600");
  CHECK(clean("a\xc2\x9b"
              "b") == "a?b");
  CHECK(clean("\xff\xc3") == "??");
}
