#include <ucs/config/global_opts.h>
#include <ucs/debug/debug.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "frenzy/transport/ucx_carrier.hpp"

namespace frenzy::transport {

void set_ucx_environment(const UcxOptions& options) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kSettings{{
      {"UCX_MM_ERROR_HANDLING", "y"},  // or shared memory refuses endpoints with error handling
      {"UCX_KEEPALIVE_INTERVAL", "1s"},
      {"UCX_MM_FIFO_SIZE", "256"},
      {"UCX_MM_RX_BUFS_GROW", "32"},
  }};
  for (const auto& [name, value] : kSettings) ::setenv(name, value, 0);
  if (!options.port_range.empty()) ::setenv("UCX_TCP_PORT_RANGE", options.port_range.c_str(), 1);
  // These were read when the library was loaded, before main() could set them.
  ucs_global_opts_set_value("WARN_UNUSED_ENV_VARS", "n");
  ucs_global_opts_set_value("MEM_EVENTS", "n");
  std::array<char, 64> handled{};
  ucs_global_opts_get_value("HANDLE_ERRORS", handled.data(), handled.size());
  if (std::string_view(handled.data()) == "none") return;
  ucs_global_opts_set_value("HANDLE_ERRORS", "none");
  for (const int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) ucs_debug_disable_signal(signal);
}

}  // namespace frenzy::transport
