#pragma once
// Connection: a coordinator over a sealed TCP session. Its loop has a thread of its own, which also
// takes SIGINT and SIGTERM while the connection lives, so that every call ends at once on Ctrl-C.

#include "frenzy/base/log.hpp"
#include "frenzy/cli/context.hpp"

namespace frenzy::cli {

/// Connected when it returns. `clock` and `log` outlive the connection. Errors: unreachable, refused
/// (also for want of a key), timed_out, cancelled.
[[nodiscard]] Result<std::unique_ptr<Coordinator>> connect(const Locations& where, Files& files, Rng& rng, const Clock& clock, Log& log);

/// The address that `where` names, or that the coordinator on this host wrote down.
[[nodiscard]] Result<std::string> coordinator_address(const Locations& where, Files& files);

}  // namespace frenzy::cli
