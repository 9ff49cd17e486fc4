#pragma once
// doctor: what stands between a user and a running job, as a list of checks. Judging is pure; facts
// about this host are gathered apart.

#include <optional>
#include <span>
#include <string>

#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"
#include "frenzy/codec/control.hpp"

namespace frenzy::cli {

struct Check {
  bool good = false;
  std::string what{};
  std::string fix{};  ///< of a problem: what to do
  friend bool operator==(const Check&, const Check&) = default;
};

struct HostFacts {
  std::optional<Bytes> shared_memory{};  ///< free in /dev/shm; nothing if it is not there
  std::optional<Bytes> disk{};           ///< free where the state directory is
  unsigned key_mode = 0;                 ///< permission bits of the key file
};

/// Reads this host.
[[nodiscard]] HostFacts read_host(const std::string& state, const std::string& key_file);

[[nodiscard]] Check check_key(const std::string& key_file, const Status& loaded, unsigned mode);
[[nodiscard]] Check check_coordinator(const std::string& address, const Status& reached);
[[nodiscard]] Check check_version(const codec::Welcome& welcome, std::string_view ours);
/// One for all healthy nodes, one for each other.
[[nodiscard]] std::vector<Check> check_nodes(std::span<const model::NodeStatus> nodes);
[[nodiscard]] std::vector<Check> check_host(const HostFacts& facts);

/// "ok       key ...\n" or "problem  ...\n         fix: ...\n".
[[nodiscard]] std::string checks_text(std::span<const Check> checks);
[[nodiscard]] std::string checks_json(std::span<const Check> checks);

}  // namespace frenzy::cli
