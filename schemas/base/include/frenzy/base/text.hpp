#pragma once
// Small helpers for text that people read and files that are strict.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frenzy {

/// Lower-case hexadecimal.
[[nodiscard]] std::string hex(std::span<const std::uint8_t> bytes);
/// Fills `out` exactly; false if the length or a digit is wrong.
[[nodiscard]] bool parse_hex(std::string_view digits, std::span<std::uint8_t> out);
/// Whole text is one decimal number that fits; no sign, no blanks.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);
/// Control bytes and bytes above 126 become '.', at most `limit` bytes, then "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit);
/// The candidate with the least edit distance (a swap of neighbours is one edit), if that is at most a
/// third of the longer word.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string_view> candidates);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace frenzy
