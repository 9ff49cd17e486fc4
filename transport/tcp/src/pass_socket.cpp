#include "frenzy/transport/pass_socket.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "frenzy/transport/carrier.hpp"

namespace frenzy::transport {

Status pass_socket(int through, PassedSocket passed) {
  if (passed.first.empty() || passed.first.size() > kMaxPacket) {
    return error(Errc::invalid_argument, "{} bytes go with a socket, allowed are 1 to {}",
                 passed.first.size(), kMaxPacket);
  }
  iovec part{passed.first.data(), passed.first.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = passed.socket.get();
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  if (::sendmsg(through, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return {};
  return error(errno == EAGAIN ? Errc::exhausted : Errc::io, "cannot pass a socket on: {}",
               std::strerror(errno));
}

Result<PassedSocket> receive_socket(int through) {
  PassedSocket out;
  out.first.resize(kMaxPacket);
  iovec part{out.first.data(), out.first.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const auto got = ::recvmsg(through, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got == 0) return error(Errc::unreachable, "the process that passes sockets is gone");
  if (got < 0) {
    return error(errno == EAGAIN ? Errc::exhausted : Errc::io, "no socket was passed: {}",
                 std::strerror(errno));
  }
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int))) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    out.socket.reset(fd);
  }
  if (!out.socket.valid() || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return error(Errc::corrupt, "bytes came without their socket (out of descriptors?)");
  }
  out.first.resize(static_cast<std::size_t>(got));
  return out;
}

}  // namespace frenzy::transport
