#pragma once
// A TOML text as plain values that remember their place. The only door to the TOML library.

#include "frenzy/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frenzy::job_file {

struct Place {
  std::string origin;      ///< file name, or "-o key=value"
  std::uint32_t line = 0;  ///< 0 = the origin as a whole
  std::uint32_t column = 0;

  /// Order in which problems are reported: the file from top to bottom, then overrides.
  [[nodiscard]] bool before(const Place& other) const;
};

void append_text(std::string& out, const Place& value);

enum class Kind : std::uint8_t { string, integer, real, boolean, date_time, array, table };

[[nodiscard]] std::string_view name_of(Kind kind);

struct Entry;

struct Value {
  Kind kind = Kind::table;
  Place place;
  std::string string;
  std::int64_t integer = 0;
  double real = 0.0;
  std::vector<Value> items;    ///< of an array
  std::vector<Entry> entries;  ///< of a table, in the order of the file

  [[nodiscard]] const Entry* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Place place;
  Value value;
};

/// The text's root table; invalid_argument with the place if it is not TOML, too long or too deep.
[[nodiscard]] Result<Value> parse_document(std::string_view text, std::string_view file_name);

/// Sets one dotted key of `root` from "a.b=value"; a value that is not TOML is taken as a string.
[[nodiscard]] Status apply_override(Value& root, std::string_view assignment);

}  // namespace frenzy::job_file
