#include "listener_guard.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "frenzy/transport/socket_address.hpp"

namespace frenzy::transport {

namespace {

constexpr std::uint32_t net(int offset) { return static_cast<std::uint32_t>(SKF_NET_OFF + offset); }

sock_filter statement(unsigned code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}
sock_filter jump(unsigned code, std::uint32_t k, std::size_t yes, std::size_t no) {
  return {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(yes),
          static_cast<std::uint8_t>(no), k};
}

std::uint32_t word(const unsigned char* bytes) {
  return (static_cast<std::uint32_t>(bytes[0]) << 24U) | (static_cast<std::uint32_t>(bytes[1]) << 16U) |
         (static_cast<std::uint32_t>(bytes[2]) << 8U) | bytes[3];
}

}  // namespace

std::vector<int> listening_sockets() {
  std::vector<int> out;
  DIR* directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return out;
  while (const dirent* entry = ::readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    int listening = 0;
    socklen_t size = sizeof(listening);
    if (entry->d_name[0] != '.' &&
        ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0) {
      out.push_back(fd);
    }
  }
  ::closedir(directory);
  std::ranges::sort(out);
  return out;
}

Status ListenerGuard::protect(std::vector<int> sockets) {
  sockets_ = std::move(sockets);
  return attach();
}

Result<ListenerGuard::Host> ListenerGuard::host_of(const std::string& address) {
  const auto parsed = parse_numeric(address);
  if (!parsed) return parsed.error();
  Host out;
  out.family = parsed->family();
  if (out.family == AF_INET) {
    std::memcpy(out.bytes.data(), &reinterpret_cast<const sockaddr_in*>(&parsed->storage)->sin_addr, 4);
  } else {
    std::memcpy(out.bytes.data(), &reinterpret_cast<const sockaddr_in6*>(&parsed->storage)->sin6_addr, 16);
  }
  return out;
}

Status ListenerGuard::allow(const std::string& address) {
  const auto host = host_of(address);
  if (!host) return host.error();
  if (++hosts_[*host] > 1) return {};
  const auto attached = attach();
  if (!attached) hosts_.erase(*host);
  return attached;
}

void ListenerGuard::forbid(const std::string& address) {
  const auto host = host_of(address);
  if (!host || !hosts_.contains(*host) || --hosts_[*host] > 0) return;
  hosts_.erase(*host);
  (void)attach();
}

// Version 4: the source is loaded once, two instructions a host. Version 6: nine a host.
std::vector<sock_filter> ListenerGuard::program() const {
  constexpr auto kWordAt = BPF_LD | BPF_W | BPF_ABS;
  constexpr auto kEqual = BPF_JMP | BPF_JEQ | BPF_K;
  const auto accept = statement(BPF_RET | BPF_K, 0xffffffffU);
  const auto drop = statement(BPF_RET | BPF_K, 0);
  std::vector<sock_filter> four{statement(kWordAt, net(12))}, six;
  for (const auto& [host, count] : hosts_) {
    if (host.family == AF_INET) {
      four.push_back(jump(kEqual, word(host.bytes.data()), 0, 1));
      four.push_back(accept);
      continue;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      six.push_back(statement(kWordAt, net(8 + static_cast<int>(4 * i))));
      six.push_back(jump(kEqual, word(host.bytes.data() + 4 * i), 0, 2 * (4 - i) - 1));
    }
    six.push_back(accept);
  }
  four.push_back(drop);
  six.push_back(drop);
  std::vector<sock_filter> out{statement(BPF_LD | BPF_B | BPF_ABS, net(0)),
                               statement(BPF_ALU | BPF_RSH | BPF_K, 4),
                               jump(kEqual, 6, 0, 1),
                               statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(four.size()))};
  out.insert(out.end(), four.begin(), four.end());
  out.insert(out.end(), six.begin(), six.end());
  return out;
}

Status ListenerGuard::attach() {
  auto code = program();
  if (code.size() > kMaxInstructions) {
    return error(Errc::exhausted, "the UCX port cannot admit more than {} hosts", hosts_.size() - 1);
  }
  sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  for (const int fd : sockets_) {
    if (::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) != 0) {
      return error(Errc::io, "cannot guard a UCX port: {}", std::strerror(errno));
    }
  }
  return {};
}

}  // namespace frenzy::transport
