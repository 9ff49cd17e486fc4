#pragma once
// Checks of our own invariants. A failed check is a bug of ours: it prints the place and aborts the
// process. Never use it for input, files, peers or memory: those are Result errors.

namespace frenzy {

/// Prints "CHECK failed" with the place and aborts. Thread: any.
[[noreturn]] void check_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace frenzy

#define FRENZY_CHECK(condition)                                   \
  do {                                                            \
    if (!(condition)) [[unlikely]]                                \
      ::frenzy::check_failed(#condition, __FILE__, __LINE__);     \
  } while (false)
