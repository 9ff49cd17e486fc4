#pragma once
// Running a job: start, connect, step reports, abort, end.

#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/codec/plan.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::codec {

/// First message to a runner, from its node: everything it is given. `node` names the devices that are
/// this runner's, and the gate at which its peers enter.
struct LaunchRunner {
  static constexpr const char* kName = "launchRunner";
  AssignPlan assign{};
  model::NodeSpec node{};
  std::string chunks_directory{};  ///< data by digest
  std::string saves_directory{};   ///< where pieces are written, by digest
  std::string key_file{};
  friend bool operator==(const LaunchRunner&, const LaunchRunner&) = default;
};

struct StartJob {
  static constexpr const char* kName = "startJob";
  JobId job{};
  Epoch epoch{};
  Incarnation incarnation{};
  friend bool operator==(const StartJob&, const StartJob&) = default;
};

/// The runner has compiled, has its arena, and can be reached by the job's other runners.
struct RunnerReady {
  static constexpr const char* kName = "runnerReady";
  JobId job{};
  Epoch epoch{};
  std::string address{};  ///< gate of its node
  Uuid runner{};          ///< its name behind that gate
  friend bool operator==(const RunnerReady&, const RunnerReady&) = default;
};

struct RunnerPeer {
  NodeId node{};
  std::string address{};
  Uuid runner{};
  std::string identity{};  ///< public key of its node, hexadecimal: the runner must prove it
  friend bool operator==(const RunnerPeer&, const RunnerPeer&) = default;
};

struct ConnectRunners {
  static constexpr const char* kName = "connectRunners";
  JobId job{};
  Epoch epoch{};
  std::vector<RunnerPeer> peers{};
  friend bool operator==(const ConnectRunners&, const ConnectRunners&) = default;
};

struct DeviceStep {
  DeviceId device{};
  Seconds compute{};
  double samples_per_second = 0;
  Bytes arena{};  ///< observed peak
  std::uint64_t late_instructions = 0;
  friend bool operator==(const DeviceStep&, const DeviceStep&) = default;
};

/// Sums are over the job, the same bits from every node; devices are the sender's own.
struct StepReport {
  static constexpr const char* kName = "stepReport";
  JobId job{};
  Epoch epoch{};
  Step step{};
  double loss_sum = 0;
  std::uint64_t tokens = 0;
  double norm = 0;
  double learning_rate = 0;
  Seconds duration{};
  std::vector<DeviceStep> devices{};
  friend bool operator==(const StepReport&, const StepReport&) = default;
};

/// Start no further step; a runner says Held. The save is made at the largest step of all runners.
struct HoldJob {
  static constexpr const char* kName = "holdJob";
  JobId job{};
  Epoch epoch{};
  friend bool operator==(const HoldJob&, const HoldJob&) = default;
};

struct Held {
  static constexpr const char* kName = "held";
  JobId job{};
  Epoch epoch{};
  Step step{};  ///< the largest that one of its devices has reached or is making
  friend bool operator==(const Held&, const Held&) = default;
};

struct AbortJob {
  static constexpr const char* kName = "abortJob";
  JobId job{};
  Epoch epoch{};
  std::string reason{};
  friend bool operator==(const AbortJob&, const AbortJob&) = default;
};

/// The runner is gone. Without `failed` it did the recipe's last step.
struct RunnerEnded {
  static constexpr const char* kName = "runnerEnded";
  JobId job{};
  Epoch epoch{};
  Step step{};
  bool failed = false;
  Error why{};
  friend bool operator==(const RunnerEnded&, const RunnerEnded&) = default;
};

}  // namespace frenzy::codec
