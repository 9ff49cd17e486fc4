#include "allocation_watch.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> highest{0};

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const place = std::malloc(size);
  if (place == nullptr) return nullptr;
  const auto now = live += malloc_usable_size(place);
  auto seen = highest.load();
  while (now > seen && !highest.compare_exchange_weak(seen, now)) {
  }
  return place;
}

void* operator new(std::size_t size) {
  void* const place = operator new(size, std::nothrow);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

void operator delete(void* place) noexcept {
  if (place != nullptr) live -= malloc_usable_size(place);
  std::free(place);
}

void operator delete(void* place, std::size_t) noexcept { operator delete(place); }

namespace frenzy::test {

AllocationWatch::AllocationWatch() : before_(live) { highest = before_; }

std::size_t AllocationWatch::peak() const { return highest - before_; }

}  // namespace frenzy::test
