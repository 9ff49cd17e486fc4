#include "frenzy/transport/socket_address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

#include "frenzy/base/text.hpp"

namespace frenzy::transport {

Result<HostPort> split_address(const std::string& address) {
  const auto colon = address.rfind(':');
  const bool bracketed = !address.empty() && address.front() == '[';
  const auto host = address.substr(0, colon == std::string::npos ? 0 : colon);
  const auto port = colon == std::string::npos ? std::nullopt
                                               : parse_unsigned(std::string_view(address).substr(colon + 1));
  const bool whole = bracketed ? host.size() > 2 && host.back() == ']'
                               : !host.empty() && host.find(':') == std::string::npos;
  if (!whole || !port || *port > 65535) {
    return error(Errc::invalid_argument,
                 "'{}' is not an address like 127.0.0.1:4711, [::1]:4711 or name:4711",
                 printable(address, 100));
  }
  return HostPort{bracketed ? host.substr(1, host.size() - 2) : host, format("{}", *port)};
}

namespace {

Result<SocketAddress> look_up(const std::string& address, int flags) {
  const auto parts = split_address(address);
  if (!parts) return parts.error();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int rc = ::getaddrinfo(parts->host.c_str(), parts->port.c_str(), &hints, &found);
  if (rc != 0) {
    const bool name = rc == EAI_NONAME && (flags & AI_NUMERICHOST) != 0;
    return error(name ? Errc::not_found : Errc::unreachable, "{}: {}", printable(address, 100),
                 ::gai_strerror(rc));
  }
  SocketAddress out;
  out.length = found->ai_addrlen;
  std::memcpy(&out.storage, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return out;
}

}  // namespace

Result<SocketAddress> parse_numeric(const std::string& address) {
  return look_up(address, AI_NUMERICHOST);
}

Result<SocketAddress> resolve(const std::string& address) { return look_up(address, 0); }

std::string text_of(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.family() == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address.storage, sizeof(in));
    ::inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
    return format("{}:{}", text.data(), ntohs(in.sin_port));
  }
  if (address.family() == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address.storage, sizeof(in));
    ::inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
    return format("[{}]:{}", text.data(), ntohs(in.sin6_port));
  }
  return "local:0";
}

std::string local_address_of(int fd) {
  SocketAddress out;
  out.length = sizeof(out.storage);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&out.storage), &out.length);
  return text_of(out);
}

std::string remote_address_of(int fd) {
  SocketAddress out;
  out.length = sizeof(out.storage);
  ::getpeername(fd, reinterpret_cast<sockaddr*>(&out.storage), &out.length);
  return text_of(out);
}

}  // namespace frenzy::transport
