#include "frenzy/executor/arena.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace frenzy::executor {

namespace {

// After the advice: pages that are there already stay small.
void populate(std::byte* data, std::size_t size) {
  ::madvise(data, size, MADV_HUGEPAGE);
  if (::madvise(data, size, MADV_POPULATE_WRITE) == 0) return;
  constexpr std::size_t kPage = 4096;
  for (std::size_t at = 0; at < size; at += kPage) *static_cast<volatile std::byte*>(data + at) = std::byte{0};
}

}  // namespace

Result<std::unique_ptr<Arena>> Arena::create(Bytes size, Bytes limit) {
  if (size > limit) {
    return error(Errc::does_not_fit, "arena needs {}, the device has {} free", size, limit);
  }
  if (size == Bytes{}) return std::unique_ptr<Arena>(new Arena(nullptr, size));
  void* data = ::mmap(nullptr, size.value, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return error(Errc::does_not_fit, "arena of {}: the system refused: {}", size,
                 std::strerror(errno));
  }
  auto* bytes = static_cast<std::byte*>(data);
  populate(bytes, size.value);
  return std::unique_ptr<Arena>(new Arena(bytes, size));
}

Arena::~Arena() {
  if (data_ != nullptr) ::munmap(data_, size_.value);
}

}  // namespace frenzy::executor
