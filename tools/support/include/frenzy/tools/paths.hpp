#pragma once
// Where programs keep their files, and how they find each other without being told.
//   $FRENZY_STATE, else $XDG_STATE_HOME/frenzy, else ~/.local/state/frenzy
//   .../coordinator/{frenzy.db, lock, address, coordinator.key, cluster.key, users/NAME.key, content/}
//   .../nodes/NAME/{node.key, id, content/, saves/}

#include <string>

#include "frenzy/base/files.hpp"

namespace frenzy::tools {

[[nodiscard]] std::string environment(const char* name);
[[nodiscard]] std::string state_root();
[[nodiscard]] inline std::string coordinator_directory() { return state_root() + "/coordinator"; }

/// The coordinator's own identity: never leaves its host.
[[nodiscard]] std::string coordinator_key_path(const std::string& coordinator);
/// What a node needs to join.
[[nodiscard]] std::string cluster_key_path(const std::string& coordinator);
[[nodiscard]] std::string user_key_path(const std::string& coordinator, const std::string& user);
[[nodiscard]] std::string users_directory(const std::string& coordinator);

/// Where the coordinator listens: written when it has started, read by local nodes and clients.
[[nodiscard]] Status write_address(Files& files, const std::string& coordinator, const std::string& address);
/// not_found says how to name an address.
[[nodiscard]] Result<std::string> read_address(Files& files, const std::string& coordinator);

}  // namespace frenzy::tools
