#pragma once
// One process a state directory: an advisory lock that the kernel drops when the process dies.

#include <memory>
#include <string>

#include "frenzy/base/result.hpp"

namespace frenzy::store {

class DirectoryLock {
 public:
  /// Makes the directory (0700) if it is missing. conflict names the process that holds it.
  [[nodiscard]] static Result<std::unique_ptr<DirectoryLock>> take(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  DirectoryLock(DirectoryLock&&) = delete;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace frenzy::store
