#pragma once
// Carrier over UCX. A link begins at our own gate socket, where the session shakes hands; each side
// offers what it has there, sealed. Frames then travel
//   over shared memory, if both sides run on one host: same boot, uid and namespaces;
//   over UCX's network transports, if both sides declare the other's address trusted;
//   else over the gate socket, sealed, as with the tcp carrier.
// The gate socket stays open: its end is the quickest sign of a dead peer. UCX's own listener is
// never used, it aborts on bytes from strangers.

#include <memory>
#include <string>
#include <vector>

#include "frenzy/transport/tcp_carrier.hpp"

namespace frenzy::transport {

enum class UcxUse : std::uint8_t {
  prefer,   ///< fall back to the gate socket
  require,  ///< refuse links that cannot use UCX
};

struct UcxOptions {
  bool shared_memory = true;
  std::vector<std::string> trusted_networks{};  ///< "10.1.0.0/16"; none: no UCX over networks
  std::string devices{};     ///< UCX_NET_DEVICES for the network part ("eth1"); empty: all
  std::string port_range{};  ///< UCX_TCP_PORT_RANGE ("4712-4712"), one port per process; empty: any
  UcxUse use = UcxUse::prefer;
};

/// Sets the environment variables that UCX reads when it starts (those already set are left alone).
/// Call it at the start of main(), before any thread: setenv and getenv exclude each other.
void set_ucx_environment(const UcxOptions& options);

/// Call on the loop's thread, or before it runs; set_ucx_environment() must have been called.
/// Errors: invalid_argument (networks), internal (UCX cannot start and `use` is require).
[[nodiscard]] Result<std::unique_ptr<SocketCarrier>> make_ucx_carrier(EventLoop& loop, Log& log,
                                                                      const UcxOptions& options);

}  // namespace frenzy::transport
