#include <array>
#include <cstdlib>
#include <utility>

#include "frenzy/transport/ucx_carrier.hpp"

namespace frenzy::transport {

void set_ucx_environment(const UcxOptions& options) {
  constexpr std::array<std::pair<const char*, const char*>, 8> kSettings{{
      {"UCX_MM_ERROR_HANDLING", "y"},      // or shared memory refuses endpoints with error handling
      {"UCX_KEEPALIVE_INTERVAL", "1s"},
      {"UCX_MM_FIFO_SIZE", "256"},
      {"UCX_MM_RX_BUFS_GROW", "32"},
      {"UCX_HANDLE_ERRORS", "none"},       // no signal handlers of UCX's
      {"UCX_MEM_EVENTS", "n"},
      {"UCX_WARN_UNUSED_ENV_VARS", "n"},
      {"UCX_TCP_KEEPIDLE", "2s"},
  }};
  for (const auto& [name, value] : kSettings) ::setenv(name, value, 0);
  if (!options.port_range.empty()) ::setenv("UCX_TCP_PORT_RANGE", options.port_range.c_str(), 1);
}

}  // namespace frenzy::transport
