#pragma once
// Coordinator: membership, jobs and clients of one cluster, over the pure life cycle and the store.
//
// It spawns one job actor for each live job, and two workers (store and files, planner). Nothing in it
// blocks. Every decision is made in frenzy::lifecycle; here effects are performed.

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <string>
#include <vector>

#include "frenzy/actors/environment.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/version.hpp"
#include "frenzy/content/content_store.hpp"
#include "frenzy/model/job_record.hpp"
#include "frenzy/model/job_spec.hpp"
#include "frenzy/store/store.hpp"

namespace frenzy::actors {

/// Where work that blocks is done: on threads, or inline on virtual time.
enum class Workers : std::uint8_t { threads = 1, in_place = 2 };

/// A job from its canonical text.
using ParseJob = std::function<Result<model::JobSpec>(const std::string& toml)>;
/// A plan on these devices, of that epoch. does_not_fit or not_found if these are too small or none. Pure.
using PlanJob = std::function<Result<model::PlannedJob>(const model::JobSpec&, const model::ClusterSpec&,
                                                        const model::Calibration&, Epoch)>;

/// References outlive the actor.
struct CoordinatorParts {
  Environment env{};
  caf::actor gateway{};
  store::Store* store = nullptr;
  content::ContentStore* content = nullptr;
  ParseJob parse{};
  PlanJob plan{};
  Workers workers = Workers::threads;
  std::string version{kVersion};
  std::vector<store::StoredJob> jobs{};    ///< what the store knew at start
  std::vector<model::NodeStatus> nodes{};  ///< the same
};

[[nodiscard]] caf::actor spawn_coordinator(caf::actor_system& system, CoordinatorParts parts);

}  // namespace frenzy::actors
