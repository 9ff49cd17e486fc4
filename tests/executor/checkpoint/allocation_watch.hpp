#pragma once
// Counts the bytes that operator new has given out and not got back. Linked into one test binary,
// which it makes count every allocation.

#include <cstddef>

namespace frenzy::test {

/// Highest number of live bytes since construction, above those live then. Thread: all of the
/// process.
class AllocationWatch {
 public:
  AllocationWatch();
  [[nodiscard]] std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace frenzy::test
