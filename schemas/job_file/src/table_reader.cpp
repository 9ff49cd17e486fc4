#include "table_reader.hpp"

#include "frenzy/base/text.hpp"

#include <algorithm>

namespace frenzy::job_file {
namespace {

std::string found(const Value& value) {
  switch (value.kind) {
    case Kind::string:
      return format("the string \"{}\"", printable(value.string, 60));
    case Kind::integer:
      return format("{}", value.integer);
    case Kind::real:
      return format("{}", value.real);
    default:
      return std::string(name_of(value.kind));
  }
}

std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (const auto name : names) out += format("{}{}", out.empty() ? "" : ", ", name);
  return out;
}

}  // namespace

void Problems::add(const Place& place, Errc code, std::string_view text) {
  if (first_ && !place.before(place_)) return;
  first_ = error(code, "{}: {}", place, text);
  place_ = place;
}

void Problems::add_missing(const Place& place, std::string_view text) {
  if (!missing_) missing_ = error(Errc::invalid_argument, "{}: {}", place, text);
}

TableReader::TableReader(const Value* table, Place place, std::string_view section,
                         Problems& problems)
    : table_(table), place_(std::move(place)), section_(section), problems_(problems) {}

const Entry* TableReader::entry(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return table_ == nullptr ? nullptr : table_->find(key);
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t low,
                                                 std::int64_t high) {
  const auto* found = entry(key);
  if (found == nullptr) return std::nullopt;
  const auto& value = found->value;
  if (value.kind == Kind::integer && value.integer >= low && value.integer <= high) {
    return value.integer;
  }
  wrong_kind(*found, format("an integer from {} to {}", low, high));
  return std::nullopt;
}

std::optional<double> TableReader::real(std::string_view key, double low, double high) {
  const auto* found = entry(key);
  if (found == nullptr) return std::nullopt;
  const auto& value = found->value;
  const bool is_number = value.kind == Kind::integer || value.kind == Kind::real;
  const auto number = value.kind == Kind::integer ? static_cast<double>(value.integer) : value.real;
  if (is_number && number >= low && number <= high) return number;
  wrong_kind(*found, format("a number from {} to {}", low, high));
  return std::nullopt;
}

std::optional<std::string> TableReader::string(std::string_view key) {
  const auto* found = entry(key);
  if (found == nullptr) return std::nullopt;
  if (found->value.kind == Kind::string) return found->value.string;
  wrong_kind(*found, "a string");
  return std::nullopt;
}

TableReader TableReader::table(std::string_view key) {
  const auto* found = entry(key);
  if (found == nullptr) return {nullptr, place_, key, problems_};
  if (found->value.kind != Kind::table) {
    wrong_kind(*found, "a table");
    return {nullptr, found->place, key, problems_};
  }
  return {&found->value, found->place, key, problems_};
}

std::optional<std::size_t> TableReader::choose(std::string_view key,
                                               std::span<const std::string_view> names,
                                               std::span<const Works> works) {
  const auto* found = entry(key);
  if (found == nullptr) return std::nullopt;
  const auto place = std::find(names.begin(), names.end(), std::string_view(found->value.string));
  if (found->value.kind != Kind::string || place == names.end()) {
    wrong_kind(*found, format("one of {}", joined(names)));
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(place - names.begin());
  if (works[index] == Works::not_yet) {
    std::vector<std::string_view> working;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (works[i] == Works::yes) working.push_back(names[i]);
    }
    unsupported(*found,
                format("\"{}\" does not work yet; what works: {}", names[index], joined(working)));
  }
  return index;
}

void TableReader::wrong_kind(const Entry& entry, std::string_view expected) {
  problems_.add(
      entry.value.place, Errc::invalid_argument,
      format("{} must be {}, found {}", full_name(entry.key), expected, found(entry.value)));
}

void TableReader::invalid(const Place& place, std::string_view text) {
  problems_.add(place, Errc::invalid_argument, text);
}

void TableReader::unsupported(const Entry& entry, std::string_view reason) {
  problems_.add(entry.place, Errc::unsupported,
                format("{}{}{}: {}", section_.empty() ? "" : section_name(),
                       section_.empty() ? "" : " ", entry.key, reason));
}

void TableReader::missing(std::string_view key, std::string_view what) {
  problems_.add_missing(place_, format("{} needs '{}': {}", section_name(), key, what));
}

Place TableReader::place_of(std::string_view key) const {
  const auto* found = table_ == nullptr ? nullptr : table_->find(key);
  return found == nullptr ? place_ : found->value.place;
}

std::string TableReader::section_name() const {
  return section_.empty() ? "the job file" : format("[{}]", section_);
}

std::string TableReader::full_name(std::string_view key) const {
  return section_.empty() ? std::string(key) : format("{}.{}", section_, key);
}

void TableReader::refuse_unknown() {
  if (table_ == nullptr) return;
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const auto& entry : table_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const auto near = nearest(std::string_view(entry.key).substr(0, 100), known);
    invalid(entry.place,
            format("unknown key '{}' in {}{}", printable(entry.key, 60), section_name(),
                   near ? format("; did you mean '{}'?", *near)
                        : format("; its keys: {}", joined(known))));
  }
}

}  // namespace frenzy::job_file
