#pragma once
// Reads one table key by key and notes every problem with its place. A reader that is asked for a
// key knows it; whatever is left over at the end is unknown.

#include "document.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frenzy::job_file {

/// Keeps the problem that stands first in the file. What is missing counts after what is wrong: a
/// misspelt key explains the missing one.
class Problems {
 public:
  void add(const Place& place, Errc code, std::string_view text);
  void add_missing(const Place& place, std::string_view text);
  [[nodiscard]] const std::optional<Error>& first() const { return first_ ? first_ : missing_; }

 private:
  std::optional<Error> first_;
  std::optional<Error> missing_;
  Place place_;
};

enum class Works : std::uint8_t { yes, not_yet };

template <class T>
struct Choice {
  std::string_view name;
  T value;
  Works works = Works::yes;
};

class TableReader {
 public:
  /// `table` may be null (the section is absent) and outlives the reader. `section` is "" for the
  /// root.
  TableReader(const Value* table, Place place, std::string_view section, Problems& problems);

  [[nodiscard]] const Entry* entry(std::string_view key);
  /// The values, if present and right; a problem if present and wrong.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t low,
                                                    std::int64_t high);
  [[nodiscard]] std::optional<double> real(std::string_view key, double low, double high);
  [[nodiscard]] std::optional<std::string> string(std::string_view key);
  template <class T, std::size_t N>
  [[nodiscard]] std::optional<T> choice(std::string_view key, const Choice<T> (&choices)[N]);
  /// A section; absent is an empty one.
  [[nodiscard]] TableReader table(std::string_view key);

  /// Puts the value at `key`, if it is there, into `out`.
  template <class T>
  void unsigned_into(T& out, std::string_view key, std::int64_t low, std::int64_t high) {
    if (const auto value = integer(key, low, high)) out = static_cast<T>(*value);
  }
  void real_into(double& out, std::string_view key, double low, double high) {
    if (const auto value = real(key, low, high)) out = *value;
  }

  void wrong_kind(const Entry& entry, std::string_view expected);
  void invalid(const Place& place, std::string_view text);
  /// "[section] key: reason".
  void unsupported(const Entry& entry, std::string_view reason);
  void missing(std::string_view key, std::string_view what);
  /// Where `key` is, or else where its table is.
  [[nodiscard]] Place place_of(std::string_view key) const;
  /// "[train]", or "the job file".
  [[nodiscard]] std::string section_name() const;
  /// "train.lr", or "name".
  [[nodiscard]] std::string full_name(std::string_view key) const;
  [[nodiscard]] bool present() const { return table_ != nullptr; }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] Problems& problems() { return problems_; }
  /// Every key that was not asked for is a problem.
  void refuse_unknown();

 private:
  [[nodiscard]] std::optional<std::size_t> choose(std::string_view key,
                                                  std::span<const std::string_view> names,
                                                  std::span<const Works> works);

  const Value* table_;
  Place place_;
  std::string section_;
  Problems& problems_;
  std::vector<std::string> known_;
};

template <class T, std::size_t N>
std::optional<T> TableReader::choice(std::string_view key, const Choice<T> (&choices)[N]) {
  std::vector<std::string_view> names;
  std::vector<Works> works;
  for (const auto& choice : choices) {
    names.push_back(choice.name);
    works.push_back(choice.works);
  }
  const auto index = choose(key, names, works);
  return index ? std::optional<T>(choices[*index].value) : std::nullopt;
}

}  // namespace frenzy::job_file
