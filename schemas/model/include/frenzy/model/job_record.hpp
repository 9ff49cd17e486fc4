#pragma once
// What is known of a job and of a node at a moment, and what happened to it: values that the store
// keeps, the life cycle changes and the CLI prints.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/digest.hpp"
#include "frenzy/base/hash.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"
#include "frenzy/model/calibration.hpp"
#include "frenzy/model/cluster_spec.hpp"
#include "frenzy/model/field.hpp"
#include "frenzy/model/footprint.hpp"
#include "frenzy/model/parameter_layout.hpp"
#include "frenzy/model/plan.hpp"

namespace frenzy::model {

enum class JobState : std::uint8_t {
  submitted = 1, planned, reserved, starting, running, rescaling, paused, held, finished, failed, cancelled
};
[[nodiscard]] std::string_view name_of(JobState state);
/// Finished, failed or cancelled: nothing happens to it any more.
[[nodiscard]] bool is_terminal(JobState state);
/// Holds devices, or is about to.
[[nodiscard]] bool is_placed(JobState state);

enum class NodeState : std::uint8_t { joining = 1, healthy = 2, draining = 3, lost = 4, removed = 5 };
[[nodiscard]] std::string_view name_of(NodeState state);

/// A state, since when, and why: a sentence with numbers.
struct StateChange {
  JobState state = JobState::submitted;
  WallTime since{};
  std::string reason{};
  friend bool operator==(const StateChange&, const StateChange&) = default;
};

/// One optimizer step of a job. Sums are over the whole job; loss a token is loss_sum / tokens.
struct StepRow {
  Step step{};
  WallTime at{};
  double loss_sum = 0;
  std::uint64_t tokens = 0;
  double norm = 0;  ///< of the gradient, before clipping
  double learning_rate = 0;
  Seconds duration{};
  friend bool operator==(const StepRow&, const StepRow&) = default;
  [[nodiscard]] double loss() const { return tokens == 0 ? 0 : loss_sum / static_cast<double>(tokens); }
};

/// What one device was given, why, and what it takes.
struct DeviceShare {
  DeviceId device{};
  std::string device_name{};
  NodeId node{};
  std::string node_name{};
  std::uint32_t samples = 0;
  std::uint32_t micro_batch = 0;
  std::uint64_t owned_elements = 0;  ///< of optimizer state
  std::string why{};
  Footprint predicted{};
  Bytes measured{};     ///< arena peak as the runner reports it; 0 before the first step
  Fingerprint program{};  ///< compared before a run
  friend bool operator==(const DeviceShare&, const DeviceShare&) = default;

  /// Bytes of the arena, as predicted: everything but what lies outside it.
  [[nodiscard]] Bytes arena() const {
    return predicted.total() - predicted[Part::fixed] - predicted[Part::reserve];
  }
};

/// A plan with everything that follows from it. `shares` are in plan order: a device's place is its Rank.
struct PlannedJob {
  Plan plan{};
  std::vector<DeviceShare> shares{};
  std::vector<std::string> notes{};  ///< what was left out and why, what limits the job
  Seconds predicted_step{};
  friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
};

struct JobSummary {
  JobId id{};
  std::string name{};
  JobState state = JobState::submitted;
  WallTime since{};
  std::string reason{};
  WallTime submitted{};
  Step step{};
  std::uint64_t steps = 0;
  Step saved{};  ///< newest complete save; 0 = none
  double loss = 0;
  double tokens_per_second = 0;
  std::optional<Errc> failure{};  ///< of a failed job: the code of its cause
  std::string owner{};            ///< name of the user who submitted it
  friend bool operator==(const JobSummary&, const JobSummary&) = default;
};

struct JobDetail {
  JobSummary summary{};
  std::string toml{};
  Epoch epoch{};
  std::vector<DeviceShare> shares{};
  std::vector<std::string> notes{};
  Seconds predicted_step{};
  std::vector<StateChange> history{};
  friend bool operator==(const JobDetail&, const JobDetail&) = default;
};

struct NodeStatus {
  NodeSpec node{};
  NodeState state = NodeState::joining;
  WallTime since{};
  std::string reason{};
  std::vector<FlopsPerSecond> rates{};  ///< one a device; 0 = not measured
  std::vector<Bytes> held{};            ///< one a device: by jobs
  std::vector<std::string> jobs{};
  std::string identity{};               ///< public key it is registered with, hexadecimal
  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

/// A range of saved state, in a file named by its digest in a node's state directory.
struct SavedPiece {
  BlockIndex block{};
  Field field = Field::weights;
  ElementRange elements{};
  ContentDigest digest{};
  Bytes size{};
  NodeId node{};
  friend bool operator==(const SavedPiece&, const SavedPiece&) = default;
};

/// A file of the submitter, cut into chunks named by their digests.
struct DataManifest {
  std::string path{};  ///< as the job file writes it
  ContentDigest digest{};
  Bytes size{};
  std::uint32_t chunk_bytes = 0;
  std::vector<ContentDigest> chunks{};
  friend bool operator==(const DataManifest&, const DataManifest&) = default;
};

}  // namespace frenzy::model
