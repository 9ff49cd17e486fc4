#pragma once
// Which addresses and ports a node and its runners use.

#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "mains.hpp"

namespace frenzy::tools {

/// Where to listen if nobody said: loopback under a local coordinator, else what faces it, at the
/// documented port. Errors: invalid_argument (an address that names nobody), unreachable.
[[nodiscard]] Result<std::string> listen_address(const NodeOptions& options, const std::string& coordinator);

/// What the node's runners are started with; `gate` is the node's bound address. Over trusted networks
/// they take data ports N+1 .. N+R for a gate at port N and R runners at once.
/// Errors: invalid_argument (no such ports).
[[nodiscard]] Result<std::vector<std::string>> runner_arguments(const NodeOptions& options, const std::string& gate);

}  // namespace frenzy::tools
