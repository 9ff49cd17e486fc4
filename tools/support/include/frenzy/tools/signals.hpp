#pragma once
// Signals as something to wait for. Block them before the first thread is made.

namespace frenzy::tools {

/// SIGINT, SIGTERM are blocked in this and all later threads; SIGPIPE is ignored.
void block_signals();
/// Waits for SIGINT or SIGTERM, and says which.
[[nodiscard]] int wait_for_signal();

}  // namespace frenzy::tools
