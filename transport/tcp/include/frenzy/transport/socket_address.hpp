#pragma once
// Addresses as people write them: "127.0.0.1:4711", "[::1]:4711", "name:4711".

#include <sys/socket.h>

#include <string>

#include "frenzy/base/result.hpp"

namespace frenzy::transport {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] int family() const { return storage.ss_family; }
};

struct HostPort {
  std::string host;  ///< without brackets
  std::string port;
};

/// Errors: invalid_argument.
[[nodiscard]] Result<HostPort> split_address(const std::string& address);
/// Numeric addresses only, without blocking. Errors: invalid_argument, not_found (a name).
[[nodiscard]] Result<SocketAddress> parse_numeric(const std::string& address);
/// Also names; may ask a name server. Errors: invalid_argument, unreachable.
[[nodiscard]] Result<SocketAddress> resolve(const std::string& address);

/// IPv6 in brackets; a Unix or unknown address as "local".
[[nodiscard]] std::string text_of(const SocketAddress& address);
[[nodiscard]] std::string local_address_of(int fd);
[[nodiscard]] std::string remote_address_of(int fd);

}  // namespace frenzy::transport
