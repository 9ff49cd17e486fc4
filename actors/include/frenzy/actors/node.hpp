#pragma once
// Node: one host's devices. Joins the coordinator (and joins again when the connection is lost), keeps
// each device's ledger in a device actor, fetches data by digest, starts and kills runners.
//
// Losing the coordinator kills every runner: the coordinator has failed their jobs for the same reason.
// Messages of an older incarnation than the one that welcomed it last are refused.

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <string>

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/environment.hpp"
#include "frenzy/base/version.hpp"
#include "frenzy/content/content_store.hpp"
#include "frenzy/model/cluster_spec.hpp"
#include "frenzy/model/plan.hpp"
#include "frenzy/runner_host/runner_host.hpp"

namespace frenzy::actors {

/// What this device compiles a plan to. Pure.
struct CompiledProgram {
  Fingerprint program{};
  Bytes arena{};
};
using CompilePlan = std::function<Result<CompiledProgram>(const model::Plan& plan, DeviceId device)>;

/// References outlive the actor.
struct NodeParts {
  Environment env{};
  caf::actor gateway{};
  runner_host::RunnerHost* runners = nullptr;
  content::ContentStore* content = nullptr;  ///< cached chunks
  content::ContentStore* saves = nullptr;    ///< pieces that runners wrote
  CompilePlan compile{};
  Workers workers = Workers::threads;
  std::string version{kVersion};
  std::string coordinator{};  ///< address
  std::string key_file{};     ///< for runners
  model::NodeSpec node{};     ///< devices with their memory; address is this node's gate
};

/// Sent to the node actor: leave in good order; it ends when it has said goodbye.
struct LeaveCluster { std::string why; };

[[nodiscard]] caf::actor spawn_node(caf::actor_system& system, NodeParts parts);

}  // namespace frenzy::actors
