#pragma once
// Whether full counts are wanted: `tools/check --long` sets FRENZY_LONG=1.

#include <cstdlib>
#include <string_view>

namespace frenzy::tests {

[[nodiscard]] inline bool long_run() {
  const char* wish = std::getenv("FRENZY_LONG");
  return wish != nullptr && std::string_view(wish) == "1";
}

}  // namespace frenzy::tests
