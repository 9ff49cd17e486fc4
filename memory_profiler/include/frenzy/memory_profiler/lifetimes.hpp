#pragma once
// Which buffers of a program may share bytes. A buffer may reuse another's bytes only if every use of
// the old tenant happens before every use of the new one; persistent buffers share with none.

#include <cstdint>
#include <vector>

#include "frenzy/program/program.hpp"

namespace frenzy::memory_profiler {

class Lifetimes {
 public:
  explicit Lifetimes(const program::Program& program);

  /// True if the two may be alive at once. Symmetric.
  [[nodiscard]] bool overlap(std::uint32_t a, std::uint32_t b) const;
  /// First and last instruction in list order that use the buffer; first > last if none does.
  [[nodiscard]] std::uint32_t first_use(std::uint32_t buffer) const { return first_[buffer]; }
  [[nodiscard]] std::uint32_t last_use(std::uint32_t buffer) const { return last_[buffer]; }

 private:
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const;

  std::size_t words_;
  std::vector<bool> persistent_;
  std::vector<std::uint32_t> first_, last_;
  std::vector<std::uint64_t> uses_;     // row a: instructions that use buffer a
  std::vector<std::uint64_t> settled_;  // row b: instructions that happen before every use of b
};

}  // namespace frenzy::memory_profiler
