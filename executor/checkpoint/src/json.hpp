#pragma once
// A strict JSON reader that is told what to expect: it holds no tree, so hostile text costs nothing
// but its own length, and nesting is only as deep as the caller's grammar. The first failure
// sticks; later reads return empty values, so a caller asks once at the end. Thread: one at a time.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace frenzy::executor::checkpoint {

class JsonReader {
 public:
  /// `text` outlives the reader. Strings in it may have at most `longest_string` bytes.
  JsonReader(std::string_view text, std::size_t longest_string);

  /// Calls member(key) for each member; it reads the value. A key that comes twice is a failure.
  template <class Member>
  void object(Member member) {
    expect('{', "an object");
    if (take('}')) return;
    std::set<std::string> seen;
    while (!failed()) {
      const auto key = string();
      if (!seen.insert(key).second) fail_duplicate(key);
      expect(':', "':'");
      if (!failed()) member(key);
      if (take('}')) return;
      expect(',', "',' or '}'");
    }
  }
  /// Calls element() for each element; it reads the value.
  template <class Element>
  void array(Element element) {
    expect('[', "an array");
    if (take(']')) return;
    while (!failed()) {
      element();
      if (take(']')) return;
      expect(',', "',' or ']'");
    }
  }
  [[nodiscard]] std::string string();
  [[nodiscard]] std::uint64_t unsigned_integer();
  [[nodiscard]] double number();
  /// Nothing but blanks is left.
  void finish();

  void fail(std::string_view reason);
  [[nodiscard]] bool failed() const { return !reason_.empty(); }
  /// "expected an object at byte 17".
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void skip_blanks();
  bool take(char c);
  void expect(char c, std::string_view what);
  void fail_duplicate(std::string_view key);
  void read_escape(std::string& out);
  [[nodiscard]] std::uint32_t hex4();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t longest_string_;
  std::string reason_;
};

/// Well-formed UTF-8: no surrogates, no overlong forms, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);

/// With quotes and escapes.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace frenzy::executor::checkpoint
