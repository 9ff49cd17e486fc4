#pragma once
// Placement of a plan on devices: reserve, release, assign.

#include <string>
#include <vector>

#include "frenzy/model/job_record.hpp"
#include "frenzy/model/plan.hpp"

namespace frenzy::codec {

/// Bytes of a device for a job, for a time; made firm by StartJob. The same (job, epoch) twice is one.
struct Reserve {
  static constexpr const char* kName = "reserve";
  JobId job{};
  Epoch epoch{};
  Incarnation incarnation{};
  DeviceId device{};
  Bytes bytes{};
  std::chrono::milliseconds time_to_live{};
  friend bool operator==(const Reserve&, const Reserve&) = default;
};

struct Reserved {
  static constexpr const char* kName = "reserved";
  JobId job{};
  Epoch epoch{};
  DeviceId device{};
  Bytes free{};  ///< what is left after it
  friend bool operator==(const Reserved&, const Reserved&) = default;
};

struct Release {
  static constexpr const char* kName = "release";
  JobId job{};
  Epoch epoch{};
  friend bool operator==(const Release&, const Release&) = default;
};

/// The program a device must compile to; a mismatch is refused naming both fingerprints.
struct DeviceProgram {
  DeviceId device{};
  NodeId node{};
  std::string address{};  ///< gate of its node
  Fingerprint program{};
  Bytes arena{};
  friend bool operator==(const DeviceProgram&, const DeviceProgram&) = default;
};

struct AssignPlan {
  static constexpr const char* kName = "assignPlan";
  JobId job{};
  Epoch epoch{};
  Incarnation incarnation{};
  model::Plan plan{};
  std::vector<DeviceProgram> devices{};
  std::string toml{};
  std::vector<model::DataManifest> data{};
  friend bool operator==(const AssignPlan&, const AssignPlan&) = default;
};

}  // namespace frenzy::codec
