#include "directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "frenzy/base/text.hpp"

namespace frenzy::store {
namespace {

Status make_directory(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::is_directory(directory, code)) return {};
  fs::create_directories(directory, code);
  if (code) return error(Errc::io, "cannot make {}: {}", directory, code.message());
  fs::permissions(directory, fs::perms::owner_all, code);
  return {};
}

std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const auto size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  return size > 0 ? printable({text.data(), static_cast<std::size_t>(size)}, 16) : std::string("unknown");
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> DirectoryLock::take(const std::string& directory) {
  if (auto made = make_directory(directory); !made) return made.error();
  const auto path = directory + "/lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return error(Errc::io, "cannot open {}: {}", path, std::strerror(errno));
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return error(Errc::conflict, "{} is in use by process {}: each coordinator needs a state directory of its own",
                 directory, holder(descriptor));
  }
  const auto pid = format("{}", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, pid.data(), pid.size(), 0) < 0) {
    return error(Errc::io, "cannot write {}: {}", path, std::strerror(errno));
  }
  return lock;
}

DirectoryLock::~DirectoryLock() { ::close(descriptor_); }

}  // namespace frenzy::store
