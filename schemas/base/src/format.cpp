#include "frenzy/base/format.hpp"

#include <cstdio>

namespace frenzy {

void append_text(std::string& out, double value) {
  std::array<char, 32> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.6g", value);
  out.append(digits.data(), static_cast<std::size_t>(length));
}

namespace detail {
void append_until_hole(std::string& out, std::string_view& pattern) {
  const auto hole = pattern.find("{}");
  out += pattern.substr(0, hole);
  pattern.remove_prefix(hole + 2);
}
}  // namespace detail

}  // namespace frenzy
