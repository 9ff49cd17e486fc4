#pragma once
// What there is to train on: nodes and their devices, as the coordinator knows them now.

#include <string>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy::model {

enum class DeviceKind : std::uint8_t { virtual_cpu = 1, cuda = 2 };

struct DeviceSpec {
  DeviceId id;
  std::string name;  ///< "n0/cpu0 512MiB x2": for people
  DeviceKind kind = DeviceKind::virtual_cpu;
  Bytes memory{};       ///< nominal
  Bytes free{};         ///< as of the last report, less what other jobs hold
  double slowdown = 1;  ///< virtual devices: time occupied = thread-CPU time x slowdown
  std::uint32_t threads = 1;
  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

struct NodeSpec {
  NodeId id;
  std::string name;
  std::string address;
  std::vector<DeviceSpec> devices;
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct ClusterSpec {
  std::vector<NodeSpec> nodes;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

}  // namespace frenzy::model
