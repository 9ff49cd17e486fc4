#pragma once
// Arena: all memory of one program on one device, taken once and given back once. Nothing in a step
// allocates. The hard limit is the device's: an arena above it is refused, never trimmed.

#include <memory>
#include <span>

#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy::executor {

class Arena {
 public:
  /// Pages are touched here, not in the first step. Errors: does_not_fit with both numbers.
  [[nodiscard]] static Result<std::unique_ptr<Arena>> create(Bytes size, Bytes limit);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = delete;
  Arena& operator=(Arena&&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() { return {data_, size_.value}; }
  [[nodiscard]] Bytes size() const { return size_; }

 private:
  Arena(std::byte* data, Bytes size) : data_(data), size_(size) {}
  std::byte* data_;
  Bytes size_;
};

}  // namespace frenzy::executor
