#include "frenzy/cli/table.hpp"

#include "frenzy/base/text.hpp"

#include <catch2/catch.hpp>

using namespace frenzy;
using namespace frenzy::cli;

namespace {

const std::vector<Column> kColumns{{"JOB", Align::left, Shrink::yes},
                                   {"STATE", Align::left, Shrink::no},
                                   {"STEP", Align::right, Shrink::no},
                                   {"REASON", Align::left, Shrink::yes}};
const std::vector<std::vector<std::string>> kRows{
    {"kjv", "running", "120", ""},
    {"na\u00efve-long-name-of-a-job", "held", "7",
     "stage 3 needs 43.1 GiB, device has 40.0 GiB free"},
    {"short"}};

Surface terminal(std::size_t width) {
  return {.medium = Medium::terminal, .color = Color::no, .glyphs = Glyphs::ascii, .width = width};
}

}  // namespace

TEST_CASE("columns are aligned and rows may be short", "[cli]") {
  CHECK(table_text(kColumns, kRows, {}) ==
        "JOB                       STATE    STEP  REASON\n"
        "kjv                       running   120\n"
        "na\u00efve-long-name-of-a-job  held        7  stage 3 needs 43.1 GiB, device has 40.0 GiB "
        "free\n"
        "short\n");
  CHECK(table_text(kColumns, {}, {}) == "JOB  STATE  STEP  REASON\n");
  CHECK(table_text({}, kRows, {}).empty());
}

TEST_CASE("a table fits its terminal by cutting what may be cut", "[cli]") {
  CHECK(table_text(kColumns, kRows, terminal(60)) ==
        "JOB                    STATE    STEP  REASON\n"
        "kjv                    running   120\n"
        "na\u00efve-long-name-of-a~  held        7  stage 3 needs 43.1 Gi~\n"
        "short\n");
  for (const std::size_t width : {20U, 30U, 40U, 60U, 100U}) {
    const auto text = table_text(kColumns, kRows, terminal(width));
    for (const auto line : split(text, '\n')) CHECK(columns_of(line) <= width);
  }
}

TEST_CASE("cells are cleaned, and titles bold only in colour", "[cli]") {
  const std::vector<std::vector<std::string>> rows{{"a\x1b[31m\nb"}};
  CHECK(table_text(std::span(kColumns).first(1), rows, {}) == "JOB\na?[31m?b\n");
  const Surface colored{
      .medium = Medium::terminal, .color = Color::yes, .glyphs = Glyphs::ascii, .width = 40};
  CHECK(table_text(std::span(kColumns).first(1), {}, colored) == "\x1b[1mJOB\x1b[0m\n");
}
