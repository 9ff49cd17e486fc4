#include "frenzy/executor/arena.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace frenzy::executor {

Result<std::unique_ptr<Arena>> Arena::create(Bytes size, Bytes limit) {
  if (size > limit) {
    return error(Errc::does_not_fit, "arena needs {}, the device has {} free", size, limit);
  }
  if (size == Bytes{}) return std::unique_ptr<Arena>(new Arena(nullptr, size));
  void* data = ::mmap(nullptr, size.value, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (data == MAP_FAILED) {
    return error(Errc::does_not_fit, "arena of {}: the system refused: {}", size,
                 std::strerror(errno));
  }
  ::madvise(data, size.value, MADV_HUGEPAGE);
  return std::unique_ptr<Arena>(new Arena(static_cast<std::byte*>(data), size));
}

Arena::~Arena() {
  if (data_ != nullptr) ::munmap(data_, size_.value);
}

}  // namespace frenzy::executor
