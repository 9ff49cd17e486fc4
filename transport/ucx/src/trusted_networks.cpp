#include "frenzy/transport/trusted_networks.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "frenzy/base/text.hpp"
#include "frenzy/transport/socket_address.hpp"

namespace frenzy::transport {

namespace {

bool loopback(int family, const unsigned char* bytes) {
  if (family == AF_INET) return bytes[0] == 127;
  static constexpr std::array<unsigned char, 16> kLoopback6{0, 0, 0, 0, 0, 0, 0, 0,
                                                            0, 0, 0, 0, 0, 0, 0, 1};
  return std::memcmp(bytes, kLoopback6.data(), kLoopback6.size()) == 0;
}

bool same_prefix(const unsigned char* a, const unsigned char* b, unsigned bits) {
  if (std::memcmp(a, b, bits / 8) != 0) return false;
  const auto rest = bits % 8;
  return rest == 0 || ((a[bits / 8] ^ b[bits / 8]) >> (8U - rest)) == 0;
}

}  // namespace

Result<TrustedNetworks> TrustedNetworks::parse(const std::vector<std::string>& networks) {
  TrustedNetworks out;
  for (const auto& text : networks) {
    const auto slash = text.find('/');
    const auto host = text.substr(0, slash);
    Network network;
    network.family = host.find(':') == std::string::npos ? AF_INET : AF_INET6;
    const auto bits = slash == std::string::npos
                          ? std::nullopt
                          : parse_unsigned(std::string_view(text).substr(slash + 1));
    const unsigned most = network.family == AF_INET ? 32 : 128;
    if (!bits || *bits > most || *bits == 0 ||
        ::inet_pton(network.family, host.c_str(), network.prefix.data()) != 1) {
      return error(Errc::invalid_argument, "'{}' is not a network like 10.1.0.0/16 or fd00::/8",
                   printable(text, 60));
    }
    network.bits = static_cast<unsigned>(*bits);
    out.networks_.push_back(network);
  }
  return out;
}

bool TrustedNetworks::contains(const std::string& address) const {
  const auto parsed = parse_numeric(address);
  if (!parsed) return false;
  std::array<unsigned char, 16> bytes{};
  if (parsed->family() == AF_INET) {
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in*>(&parsed->storage)->sin_addr, 4);
  } else {
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(&parsed->storage)->sin6_addr, 16);
  }
  if (loopback(parsed->family(), bytes.data())) return false;
  for (const auto& network : networks_) {
    if (network.family == parsed->family() &&
        same_prefix(bytes.data(), network.prefix.data(), network.bits)) {
      return true;
    }
  }
  return false;
}

}  // namespace frenzy::transport
