#pragma once
// Text with {} placeholders: format("stage {} needs {}", 3, need). The number of placeholders is
// checked at compile time. A small subset of fmt, so that base to executor need no package.
// Types outside the standard ones print through an ADL function `void append_text(std::string&, const T&)`.

#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace frenzy {

void append_text(std::string& out, double value);
/// "250.0 ms". Declared here because argument-dependent lookup cannot find it for a standard type.
void append_text(std::string& out, std::chrono::duration<double> value);
inline void append_text(std::string& out, std::string_view value) { out += value; }
inline void append_text(std::string& out, const std::string& value) { out += value; }
inline void append_text(std::string& out, const char* value) { out += value; }
inline void append_text(std::string& out, bool value) { out += value ? "true" : "false"; }
inline void append_text(std::string& out, char value) { out += value; }

template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>)
void append_text(std::string& out, T value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

/// A pattern whose `{}` count equals the number of arguments; anything else does not compile.
template <class... Args>
class FormatPattern {
 public:
  template <class S>
    requires std::convertible_to<const S&, std::string_view>
  consteval FormatPattern(const S& text) : text_(text) {  // NOLINT: implicit by design
    std::size_t holes = 0;
    for (std::size_t i = 0; i + 1 < text_.size(); ++i) {
      if (text_[i] == '{' && text_[i + 1] == '}') ++holes;
    }
    if (holes != sizeof...(Args)) throw "placeholders and arguments differ in number";
  }
  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

namespace detail {
/// Appends the pattern up to its next placeholder and removes both from `pattern`.
void append_until_hole(std::string& out, std::string_view& pattern);
}  // namespace detail

template <class... Args>
[[nodiscard]] std::string format(FormatPattern<std::type_identity_t<Args>...> pattern,
                                 const Args&... args) {
  std::string out;
  std::string_view rest = pattern.text();
  ((detail::append_until_hole(out, rest), append_text(out, args)), ...);
  out += rest;
  return out;
}

}  // namespace frenzy
