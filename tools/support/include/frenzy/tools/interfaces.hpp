#pragma once
// Addresses of this host, so that people need not look them up. Blocks for names only.

#include <string>
#include <vector>

#include "frenzy/base/result.hpp"

namespace frenzy::tools {

/// "127.0.0.1:4700", "[::1]:4700", "localhost:4700".
[[nodiscard]] bool is_loopback(const std::string& address);
/// A gate's address is told to others: "0.0.0.0:4700" and "[::]:4700" are refused as --listen.
[[nodiscard]] Status check_listen(const std::string& address);

/// Name of the interface that has the host part of `address`; empty if none has.
[[nodiscard]] std::string interface_of(const std::string& address);

/// This host's side of a connection to `peer`, without a port: "10.0.0.2", "[fd00::2]". Sends nothing.
/// Errors: invalid_argument, unreachable (no route).
[[nodiscard]] Result<std::string> host_towards(const std::string& peer);

}  // namespace frenzy::tools
