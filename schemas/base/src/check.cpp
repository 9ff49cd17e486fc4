#include "frenzy/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace frenzy {

void check_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "CHECK failed: %s at %s:%d\n", expression, file, line);
  std::abort();
}

}  // namespace frenzy
