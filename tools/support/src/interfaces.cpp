#include "frenzy/tools/interfaces.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "frenzy/transport/carrier.hpp"
#include "frenzy/transport/socket_address.hpp"
#include "frenzy/transport/unique_fd.hpp"

namespace frenzy::tools {
namespace {

using transport::SocketAddress;

/// The address alone, for comparing; ports and scopes aside.
std::string host_bytes(const sockaddr* address) {
  if (address == nullptr) return {};
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return {reinterpret_cast<const char*>(&v4->sin_addr), sizeof(v4->sin_addr)};
  }
  if (address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    return {reinterpret_cast<const char*>(&v6->sin6_addr), sizeof(v6->sin6_addr)};
  }
  return {};
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address.starts_with("[::1]") || address.starts_with("localhost:");
}

Status check_listen(const std::string& address) {
  if (!address.starts_with("0.0.0.0:") && !address.starts_with("[::]:")) return {};
  return error(Errc::invalid_argument, "--listen {} names no address that others can reach: give one of this host's", address);
}

std::string interface_of(const std::string& address) {
  const auto wanted = transport::parse_numeric(address);
  if (!wanted) return {};
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
  for (const auto* each = all.get(); each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr != nullptr && host_bytes(each->ifa_addr) == host_bytes(wanted->get())) return each->ifa_name;
  }
  return {};
}

Result<std::string> host_towards(const std::string& peer) {
  const auto to = transport::resolve(peer);
  if (!to) return to.error();
  // Connecting a datagram socket asks for the route, and sends nothing.
  const transport::UniqueFd probe(::socket(to->family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (probe.get() < 0 || ::connect(probe.get(), to->get(), to->length) != 0) {
    return error(Errc::unreachable, "no route to {}: {}", peer, std::string_view(std::strerror(errno)));
  }
  const auto local = transport::local_address_of(probe.get());
  return transport::host_of(local);
}

}  // namespace frenzy::tools
