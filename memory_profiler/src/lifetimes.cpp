#include "frenzy/memory_profiler/lifetimes.hpp"

#include <algorithm>

#include "frenzy/program/order.hpp"

namespace frenzy::memory_profiler {

Lifetimes::Lifetimes(const program::Program& program)
    : words_((program.instructions.size() + 63) / 64),
      first_(program.buffers.size(), UINT32_MAX),
      last_(program.buffers.size(), 0),
      uses_(program.buffers.size() * words_, 0),
      settled_(program.buffers.size() * words_, ~0ULL) {
  for (const auto& buffer : program.buffers) {
    persistent_.push_back(buffer.lifetime == program::Lifetime::persistent);
  }
  const program::HappensBefore happens_before(program::predecessors(program));
  const auto count = static_cast<std::uint32_t>(program.instructions.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const auto& use : program.instructions[i].uses) {
      const auto b = use.buffer.value;
      first_[b] = std::min(first_[b], i);
      last_[b] = std::max(last_[b], i);
      uses_[b * words_ + i / 64] |= 1ULL << (i % 64);
      const auto row = happens_before.row(i);
      for (std::size_t w = 0; w < words_; ++w) settled_[b * words_ + w] &= row[w];
    }
  }
}

bool Lifetimes::before(std::uint32_t a, std::uint32_t b) const {
  for (std::size_t w = 0; w < words_; ++w) {
    if ((uses_[a * words_ + w] & ~settled_[b * words_ + w]) != 0) return false;
  }
  return true;
}

bool Lifetimes::overlap(std::uint32_t a, std::uint32_t b) const {
  if (persistent_[a] || persistent_[b]) return true;
  return !before(a, b) && !before(b, a);
}

}  // namespace frenzy::memory_profiler
