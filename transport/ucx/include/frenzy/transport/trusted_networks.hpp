#pragma once
// Networks on which every host is trusted with this process's memory: UCX 1.13 lets whoever reaches
// its data port write there. Loopback is never one of them.

#include <array>
#include <string>
#include <vector>

#include "frenzy/base/result.hpp"

namespace frenzy::transport {

class TrustedNetworks {
 public:
  /// "10.1.0.0/16", "fd00:1::/32". Errors: invalid_argument naming the entry.
  [[nodiscard]] static Result<TrustedNetworks> parse(const std::vector<std::string>& networks);
  /// `address` is numeric, with port.
  [[nodiscard]] bool contains(const std::string& address) const;
  [[nodiscard]] bool empty() const { return networks_.empty(); }

 private:
  struct Network {
    int family = 0;
    std::array<unsigned char, 16> prefix{};
    unsigned bits = 0;
  };
  std::vector<Network> networks_;
};

}  // namespace frenzy::transport
