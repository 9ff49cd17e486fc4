#pragma once
// Job: one live job. Feeds the life cycle with events and performs its effects through the coordinator
// (nodes, planner) and the store worker. Ends when the job has ended and its watchers know it.

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/lifecycle/job.hpp"

namespace frenzy::actors {

// To the job -----------------------------------------------------------------------------------
struct JobInput { lifecycle::JobEvent event; };
/// A node's message about this job.
struct NodeSaid { NodeId node; codec::Message message; };
struct ShowRequest { transport::PeerId peer; std::uint64_t correlation = 0; };
struct WatchRequest { transport::PeerId peer; std::uint64_t correlation = 0; Step from; bool follow = false; };
struct WatcherGone { transport::PeerId peer; };
/// The answer to JobOver: no more requests follow.
struct Retire {};

// To the coordinator ---------------------------------------------------------------------------
struct JobChanged { model::JobSummary summary; };
struct JobOver { JobId job; };
/// Answered with Msg<lifecycle::JobEvent>: Planned, MustWait or DoesNotFit.
struct WantPlan { model::JobSpec spec; Epoch epoch; };
using PlanAnswer = Result<lifecycle::JobEvent>;
/// Answered with Msg<Answer>, at once if `timeout` is zero (then nothing is waited for).
struct ToNode { NodeId node; codec::Message message; std::chrono::nanoseconds timeout{}; };

struct JobParts {
  Environment env;
  caf::actor coordinator;
  caf::actor gateway;
  caf::actor storage;  ///< worker
  store::Store* store = nullptr;
  Incarnation incarnation;
  model::JobSpec spec;
};

[[nodiscard]] caf::actor spawn_job(caf::actor_system& system, JobParts parts, lifecycle::Job job);

/// History of a job in parts that fit into frames; all but the last are not `last`.
[[nodiscard]] std::vector<codec::JobUpdate> history_parts(const model::JobSummary& summary,
                                                          std::vector<model::StateChange> changes,
                                                          const std::vector<model::StepRow>& rows);

}  // namespace frenzy::actors
