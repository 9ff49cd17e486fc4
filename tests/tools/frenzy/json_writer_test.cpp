#include "frenzy/cli/json_writer.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace frenzy::cli;

TEST_CASE("strings are escaped to valid JSON whatever their bytes", "[cli]") {
  using namespace std::string_view_literals;
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"", "\"\""},
      {"plain", "\"plain\""},
      {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
      {"a\nb\rc\td", "\"a\\nb\\rc\\td\""},
      {"\0\x1b\x7f"sv, "\"\\u0000\\u001b\\u007f\""},
      {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
      {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
      {"\xff", "\"\xef\xbf\xbd\""},
      {"\xc3", "\"\xef\xbf\xbd\""},                              // cut off
      {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},              // longer than needed
      {"\xe0\x80\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
      {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},  // a surrogate
      {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
      {"\x80" "a", "\"\xef\xbf\xbd" "a\""},
  };
  for (const auto& [text, expected] : cases) CHECK(json_string(text) == expected);
}

TEST_CASE("numbers read back to the same value, and what JSON lacks is null", "[cli]") {
  const auto text = [](double number) {
    JsonWriter json;
    json.value(number);
    return json.text();
  };
  CHECK(text(0.1) == "0.1");
  CHECK(text(-2) == "-2");
  CHECK(text(1e300) == "1e+300");
  CHECK(text(std::numeric_limits<double>::infinity()) == "null");
  CHECK(text(std::numeric_limits<double>::quiet_NaN()) == "null");
  JsonWriter json;
  json.value(std::numeric_limits<std::uint64_t>::max());
  CHECK(json.text() == "18446744073709551615");
}

TEST_CASE("commas stand between values and nowhere else", "[cli]") {
  JsonWriter json;
  json.begin_object().field("a", true).key("b").begin_array().value(1U).begin_object().end_object().begin_array().end_array();
  json.value("x").end_array().key("c").begin_object().field("d", 1.5).end_object().field("e", "f").end_object();
  CHECK(json.text() == R"({"a":true,"b":[1,{},[],"x"],"c":{"d":1.5},"e":"f"})");
}
