#pragma once
// The life cycle of one job as a pure function: step(job, event, now) -> effects, with the job changed.
//
//   submitted -> planned -> reserved -> starting -> running -> finished | failed | cancelled
//
// The job actor feeds it events and performs its effects; nothing else decides what happens to a job.
// Placement is all or nothing: every device is reserved (with a time to live) before any node is given
// the plan, every runner is ready before any is started. A node that is lost, or a runner that fails,
// ends the job: all its other runners are aborted, and the reason names the cause.
// Invariants: terminal states absorb every event; every way into a terminal state releases or aborts on
// every node that was told of the job; each change of state has a since-time and a reason.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::lifecycle {

inline constexpr auto kReservationTime = std::chrono::seconds{60};   ///< until start makes it firm
inline constexpr auto kReserveDeadline = std::chrono::seconds{5};    ///< every device answers within
inline constexpr auto kReadyDeadline = std::chrono::seconds{50};     ///< every runner is ready within
inline constexpr auto kSaveDeadline = std::chrono::seconds{2};       ///< of a cancel
inline constexpr auto kRetryDelay = std::chrono::seconds{1};         ///< after a refused reservation
inline constexpr std::uint32_t kMaxRefusals = 5;  ///< reservations refused in a row before it fails

/// What a client handed in.
struct Submission {
  JobId id{};
  std::string name{};
  std::string toml{};
  std::vector<model::DataManifest> data{};
  std::uint64_t steps = 0;
  std::string owner{};  ///< the user who did
  friend bool operator==(const Submission&, const Submission&) = default;
};

/// One node's part in a placed job.
struct NodePart {
  NodeId node{};
  std::string name{};
  bool told = false;   ///< it was asked to reserve: it must be told of the end
  bool ready = false;
  std::optional<Step> held{};  ///< where it stands, once it was told to hold
  bool ended = false;  ///< its runner did the last step and left
  std::string address{};  ///< gate of its runner, once ready
  Uuid runner{};          ///< name of its runner behind the gate
  friend bool operator==(const NodePart&, const NodePart&) = default;
};

enum class DeviceReply : std::uint8_t { waiting = 1, reserved = 2 };

struct Job {
  Submission submission{};
  model::JobState state = model::JobState::submitted;
  WallTime since{};
  std::string reason{};
  WallTime submitted{};
  Epoch epoch{};
  model::PlannedJob planned{};           ///< of this epoch; empty before it is planned
  std::vector<DeviceReply> devices{};    ///< one a share
  std::vector<NodePart> nodes{};
  Step step{};                           ///< newest committed by all
  Step saved{};                          ///< newest complete save; 0 = none
  double loss = 0;                     ///< of `step`, a token
  double tokens_per_second = 0;
  std::uint32_t refusals = 0;
  bool asked_planner = false;          ///< an answer of the planner is on its way
  bool cancelling = false;             ///< a save is under way, then it is cancelled
  bool overdue = false;                ///< the last save on the way failed
  std::optional<Error> failure{};        ///< why it failed, with the code of the cause
  /// Saves that are not complete: pieces by step and node.
  std::map<Step, std::map<NodeId, std::vector<model::SavedPiece>>> saves;
};

namespace event {
struct Submitted {};                                     ///< first event of a new job
struct ClusterChanged {};                                ///< a node joined or bytes became free
struct Planned { model::PlannedJob planned; };
struct MustWait { std::string why; };                    ///< fits the cluster, but not now
struct DoesNotFit { Error why; };                        ///< never will on this cluster
struct DeviceReserved { DeviceId device; Epoch epoch; };
struct DeviceRefused { DeviceId device; Epoch epoch; Error why; };
struct RunnerReady { NodeId node; Epoch epoch; std::string address{}; Uuid runner{}; };
struct StepReported { NodeId node; Epoch epoch; model::StepRow row; std::vector<std::pair<DeviceId, Bytes>> arenas; };
/// The runner starts no further step; the largest it has reached or is making.
struct RunnerHeld { NodeId node; Epoch epoch; Step step; };
struct Saved { NodeId node; Epoch epoch; Step step; std::vector<model::SavedPiece> pieces; };
/// Of a save on the way it ends nothing; of the last one, or that of a cancel, the job.
struct SaveFailed { NodeId node; Epoch epoch; Error why; Step step{}; };
/// The runner left: after its last step without a failure, else with one.
struct RunnerEnded { NodeId node; Epoch epoch; Step step; std::optional<Error> failure; };
/// A runner on a node that lives does not move: it is aborted like the others.
struct RunnerStuck { NodeId node; Epoch epoch; std::string what; };
struct NodeLost { NodeId node; std::string why; };       ///< lost, frozen or drained
struct CancelRequested { std::string by; };
/// Of a placed job found in the store: its nodes abort what a former incarnation started.
struct CoordinatorRestarted { Incarnation incarnation; };
struct PauseRequested {};                                ///< refused: not something this version does
enum class Timer : std::uint8_t { reserve = 1, ready = 2, save = 3, retry = 4 };
struct TimerFired { Timer timer; Epoch epoch; };
}  // namespace event

using JobEvent = std::variant<event::Submitted, event::ClusterChanged, event::Planned, event::MustWait,
                              event::DoesNotFit, event::DeviceReserved, event::DeviceRefused,
                              event::RunnerReady, event::StepReported, event::RunnerHeld, event::Saved,
                              event::SaveFailed, event::RunnerEnded, event::RunnerStuck, event::NodeLost,
                              event::CancelRequested, event::CoordinatorRestarted,
                              event::PauseRequested, event::TimerFired>;

namespace effect {
struct AskPlanner {};
struct ReserveDevice { NodeId node; DeviceId device; Bytes bytes; };
struct ReleaseNode { NodeId node; };                      ///< of a node that has no runner yet
struct AssignNode { NodeId node; };
struct StartNode { NodeId node; };                        ///< with the addresses in Job::nodes
struct AbortNode { NodeId node; std::string reason; };    ///< kills the runner, gives back its bytes
struct HoldNode { NodeId node; };
struct SaveNode { NodeId node; Step step; };              ///< steps on to exactly `step`, then saves
struct SetTimer { event::Timer timer; std::chrono::nanoseconds after; };
/// Durable at once, before anybody is told; then shown to watchers.
struct RecordState { model::StateChange change; };
struct RecordSave { Step step; std::vector<model::SavedPiece> pieces; };
/// Durable in batches; shown to watchers.
struct RecordStep { model::StepRow row; };
/// The event has no meaning in this state, and nothing changed.
struct RefuseEvent { Error why; };
}  // namespace effect

using JobEffect = std::variant<effect::AskPlanner, effect::ReserveDevice, effect::ReleaseNode,
                               effect::AssignNode, effect::StartNode, effect::AbortNode,
                               effect::HoldNode, effect::SaveNode, effect::SetTimer, effect::RecordState,
                               effect::RecordSave, effect::RecordStep, effect::RefuseEvent>;

/// Every effect is of the job's epoch after the step. Events of older epochs change nothing.
struct JobTransition {
  Job job;
  std::vector<JobEffect> effects{};
};

[[nodiscard]] Job new_job(Submission submission, WallTime now);
[[nodiscard]] JobTransition step(Job job, const JobEvent& event, WallTime now);

[[nodiscard]] model::JobSummary summary(const Job& job);
[[nodiscard]] model::JobDetail detail(const Job& job, std::vector<model::StateChange> history);

}  // namespace frenzy::lifecycle
