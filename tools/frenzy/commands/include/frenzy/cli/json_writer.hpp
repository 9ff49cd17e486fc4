#pragma once
// Writes JSON text, one token after another. Strict: whatever bytes a string has, the text is valid
// UTF-8 without control bytes (malformed parts become U+FFFD); a number that JSON lacks becomes null.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frenzy/base/format.hpp"

namespace frenzy::cli {

/// Calls are made in a legal order: a key before each value of an object, ends that match.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);  ///< the shortest text that reads back to the same number
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  JsonWriter& value(T number) {
    return raw(format("{}", number));
  }

  template <class T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  /// The text so far.
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view token);
  void comma();

  std::string out_;
  std::vector<bool> filled_{};  ///< one an open bracket: something is in it
  bool after_key_ = false;
};

/// With quotes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace frenzy::cli
