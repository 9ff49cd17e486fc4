#include "document.hpp"

#include "frenzy/base/text.hpp"
#include "frenzy/job_file/job_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

namespace frenzy::job_file {
namespace {

constexpr int kDeepest = 8;
// toml++ builds and destroys one nested table a segment, recursively: a text of dots alone would
// end the stack.
constexpr int kMostSegments = 24;

Place place_of(const toml::source_region& region, std::string_view origin) {
  return {std::string(origin), region.begin.line, region.begin.column};
}

/// Line of the first key with too many segments, or 0. Values and comments are looked at too, which
/// only matters to texts with that many single dots between two separators.
std::uint32_t line_of_deep_key(std::string_view text) {
  std::uint32_t line = 1;
  int segments = 0;
  char last = '\n';
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '\n' || c == ',' || c == '=' || c == '{' || c == '[') segments = 0;
    if (c == '.' && last != '.' && ++segments >= kMostSegments) return line;
    if (c != ' ' && c != '\t') last = c;
  }
  return 0;
}

class Converter {
 public:
  explicit Converter(std::string_view origin) : origin_(origin) {}

  Result<Value> convert(const toml::node& node, int depth) {
    Value out;
    out.place = place_of(node.source(), origin_);
    if (depth > kDeepest) {
      return error(Errc::invalid_argument, "{}: tables and arrays are nested more than {} deep",
                   out.place, kDeepest);
    }
    if (const auto* table = node.as_table()) return convert_table(*table, std::move(out), depth);
    if (const auto* array = node.as_array()) return convert_array(*array, std::move(out), depth);
    convert_scalar(node, out);
    return out;
  }

 private:
  Result<Value> convert_table(const toml::table& table, Value out, int depth) {
    out.kind = Kind::table;
    for (const auto& [key, child] : table) {
      auto value = convert(child, depth + 1);
      if (!value) return value.error();
      out.entries.push_back(
          {std::string(key.str()), place_of(key.source(), origin_), std::move(*value)});
    }
    std::sort(out.entries.begin(), out.entries.end(),
              [](const Entry& a, const Entry& b) { return a.place.before(b.place); });
    return out;
  }

  Result<Value> convert_array(const toml::array& array, Value out, int depth) {
    out.kind = Kind::array;
    for (const auto& child : array) {
      auto value = convert(child, depth + 1);
      if (!value) return value.error();
      out.items.push_back(std::move(*value));
    }
    return out;
  }

  static void convert_scalar(const toml::node& node, Value& out) {
    if (const auto* text = node.as_string()) {
      out.kind = Kind::string;
      out.string = text->get();
    } else if (const auto* integer = node.as_integer()) {
      out.kind = Kind::integer;
      out.integer = integer->get();
    } else if (const auto* real = node.as_floating_point()) {
      out.kind = Kind::real;
      out.real = real->get();
    } else {
      out.kind = node.is_boolean() ? Kind::boolean : Kind::date_time;
    }
  }

  std::string_view origin_;
};

Result<Value> parse_toml(std::string_view text, std::string_view origin) {
  try {
    const auto table = toml::parse(text);
    return Converter(origin).convert(table, 0);
  } catch (const toml::parse_error& failure) {
    return error(Errc::invalid_argument, "{}: not valid TOML: {}",
                 place_of(failure.source(), origin), printable(failure.description(), 300));
  }
}

void set_origin(Value& value, const Place& place) {
  value.place = place;
  for (auto& item : value.items) set_origin(item, place);
  for (auto& entry : value.entries) {
    entry.place = place;
    set_origin(entry.value, place);
  }
}

Value override_value(std::string_view text, const Place& place) {
  auto parsed = parse_toml(format("v = {}", text), "");
  Value out;
  if (parsed.ok() && parsed->entries.size() == 1) {
    out = std::move(parsed->entries.front().value);
  } else {
    out.kind = Kind::string;
    out.string = text;
  }
  set_origin(out, place);
  return out;
}

bool is_bare_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

Entry& find_or_add(Value& table, std::string_view key, const Place& place) {
  for (auto& entry : table.entries) {
    if (entry.key == key) return entry;
  }
  Value empty;
  empty.place = place;
  return table.entries.emplace_back(Entry{std::string(key), place, std::move(empty)});
}

}  // namespace

bool Place::before(const Place& other) const {
  const auto rank = [](const Place& p) {
    return std::tuple(p.line == 0 && p.origin.starts_with("-o "), p.line, p.column);
  };
  return rank(*this) < rank(other);
}

void append_text(std::string& out, const Place& value) {
  out +=
      value.line == 0 ? value.origin : format("{}:{}:{}", value.origin, value.line, value.column);
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::string:
      return "a string";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a number with a fraction";
    case Kind::boolean:
      return "a boolean";
    case Kind::date_time:
      return "a date or time";
    case Kind::array:
      return "an array";
    case Kind::table:
      return "a table";
  }
  return "something else";
}

const Entry* Value::find(std::string_view key) const {
  for (const auto& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Result<Value> parse_document(std::string_view text, std::string_view file_name) {
  if (text.size() > kLongestText) {
    return error(Errc::invalid_argument, "{}: {} bytes, a job file has at most {}", file_name,
                 text.size(), kLongestText);
  }
  if (const auto line = line_of_deep_key(text); line != 0) {
    return error(Errc::invalid_argument, "{}:{}:1: a key has more than {} parts", file_name, line,
                 kMostSegments);
  }
  return parse_toml(text, file_name);
}

Status apply_override(Value& root, std::string_view assignment) {
  const Place place{format("-o {}", printable(assignment, 100)), 0, 0};
  const auto equals = assignment.find('=');
  const auto segments = split(assignment.substr(0, equals), '.');
  if (equals == std::string_view::npos || segments.size() > kDeepest ||
      !std::all_of(segments.begin(), segments.end(), is_bare_key)) {
    return error(Errc::invalid_argument, "{}: expected key=value, such as train.steps=500", place);
  }
  const auto text = assignment.substr(equals + 1);
  if (text.size() > kLongestText || text.find_first_of("\r\n") != std::string_view::npos ||
      line_of_deep_key(text) != 0) {
    return error(Errc::invalid_argument, "{}: the value must be one short line", place);
  }
  auto* table = &root;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (table->kind != Kind::table) {
      return error(Errc::invalid_argument, "{}: '{}' is {}, it has no keys", place, segments[i - 1],
                   name_of(table->kind));
    }
    auto& entry = find_or_add(*table, segments[i], place);
    if (i + 1 == segments.size()) {
      entry.place = place;
      entry.value = override_value(text, place);
    }
    table = &entry.value;
  }
  return {};
}

}  // namespace frenzy::job_file
