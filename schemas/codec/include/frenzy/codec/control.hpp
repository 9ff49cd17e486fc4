#pragma once
// Membership: hello, heartbeat, goodbye, lists of nodes, and the two general answers.

#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::codec {

enum class Role : std::uint8_t { coordinator = 1, node = 2, runner = 3, client = 4 };

/// What a node holds for a job; told at every hello, adopted or released by the coordinator.
struct Holding {
  JobId job{};
  Epoch epoch{};
  DeviceId device{};
  Bytes bytes{};
  bool firm = false;
  Step step{};
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// First message of a node. A client's names only its role and version.
struct Hello {
  static constexpr const char* kName = "hello";
  Role role = Role::client;
  std::string version{};
  model::NodeSpec node{};
  std::vector<Holding> holdings{};
  friend bool operator==(const Hello&, const Hello&) = default;
};

struct Welcome {
  static constexpr const char* kName = "welcome";
  Incarnation incarnation{};
  std::string version{};
  std::chrono::milliseconds heartbeat{};
  friend bool operator==(const Welcome&, const Welcome&) = default;
};

struct RunnerPulse {
  JobId job{};
  Epoch epoch{};
  Step step{};
  InstructionIndex instruction{};
  Seconds age{};  ///< since that instruction started
  friend bool operator==(const RunnerPulse&, const RunnerPulse&) = default;
};

/// What jobs may still take of a device.
struct DeviceFree {
  DeviceId device{};
  Bytes free{};
  friend bool operator==(const DeviceFree&, const DeviceFree&) = default;
};

struct Heartbeat {
  static constexpr const char* kName = "heartbeat";
  std::uint64_t sequence = 0;
  std::vector<RunnerPulse> runners{};
  std::vector<DeviceFree> devices{};
  friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

struct Goodbye {
  static constexpr const char* kName = "goodbye";
  std::string reason{};
  friend bool operator==(const Goodbye&, const Goodbye&) = default;
};

/// The answer "done" of requests that have no answer of their own.
struct Accepted {
  static constexpr const char* kName = "accepted";
  friend bool operator==(const Accepted&, const Accepted&) = default;
};

/// The answer "no" of any request.
struct Refused {
  static constexpr const char* kName = "refused";
  Error why{};
  friend bool operator==(const Refused&, const Refused&) = default;
};

struct ListNodes {
  static constexpr const char* kName = "listNodes";
  friend bool operator==(const ListNodes&, const ListNodes&) = default;
};

struct NodeList {
  static constexpr const char* kName = "nodeList";
  std::vector<model::NodeStatus> nodes{};
  friend bool operator==(const NodeList&, const NodeList&) = default;
};

/// `node` is a name or a UUID. Admins only; the node's jobs fail, its identity is refused from now on.
struct RemoveNode {
  static constexpr const char* kName = "removeNode";
  std::string node{};
  friend bool operator==(const RemoveNode&, const RemoveNode&) = default;
};

}  // namespace frenzy::codec
