#include "buffer_pool.hpp"

#include "frenzy/base/check.hpp"

namespace frenzy::transport {

PooledBuffer BufferPool::take(std::size_t size) {
  FRENZY_CHECK(size <= kMaxPayload);
  if (size <= kSmall) return {std::vector<std::byte>(size), size};
  if (free_.empty()) return {std::vector<std::byte>(kMaxPayload), size};
  PooledBuffer out{std::move(free_.back()), size};
  free_.pop_back();
  return out;
}

void BufferPool::give_back(PooledBuffer buffer) {
  if (buffer.memory.size() == kMaxPayload && free_.size() < kKept) {
    free_.push_back(std::move(buffer.memory));
  }
}

}  // namespace frenzy::transport
