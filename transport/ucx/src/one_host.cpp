#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "frenzy/base/ids.hpp"
#include "frenzy/transport/ucx_offer.hpp"

namespace frenzy::transport {

namespace {

Result<std::uint64_t> namespace_inode(const char* path) {
  struct stat info {};
  if (::stat(path, &info) != 0) {
    return error(Errc::io, "{}: {}", path, std::strerror(errno));
  }
  return static_cast<std::uint64_t>(info.st_ino);
}

}  // namespace

Result<HostPlace> host_place() {
  HostPlace out;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  file >> text;
  const auto boot = Uuid::parse(text);
  if (!boot) return error(Errc::io, "/proc/sys/kernel/random/boot_id has no id");
  out.boot_id = boot->bytes;
  const auto net = namespace_inode("/proc/self/ns/net");
  const auto ipc = namespace_inode("/proc/self/ns/ipc");
  const auto pid = namespace_inode("/proc/self/ns/pid");
  for (const auto* one : {&net, &ipc, &pid}) {
    if (!*one) return one->error();
  }
  out.net_namespace = *net;
  out.ipc_namespace = *ipc;
  out.pid_namespace = *pid;
  out.uid = ::geteuid();
  return out;
}

}  // namespace frenzy::transport
