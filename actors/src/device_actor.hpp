#pragma once
// Device: the ledger of one device, and admission: a plan is taken only if this device compiles it to
// the very program that the planner priced, and its arena fits what was reserved.

#include "frenzy/actors/node.hpp"
#include "frenzy/lifecycle/ledger.hpp"

namespace frenzy::actors {

/// Answered with Msg<Result<Bytes>>: what is free afterwards.
struct ReserveBytes { JobId job; Epoch epoch; Bytes bytes{}; std::chrono::nanoseconds time_to_live{}; };
using ReserveAnswer = Result<Bytes>;
/// Both answered with Msg<Status>.
struct AdmitProgram { JobId job; Epoch epoch; model::Plan plan; codec::DeviceProgram expected; };
struct MakeFirm { JobId job; Epoch epoch; };
struct ReleaseBytes { JobId job; Epoch epoch; };
struct ExpireReservations {};

/// To the node, whenever it has changed.
struct LedgerChanged { DeviceId device; Bytes free{}; std::vector<lifecycle::LedgerEntry> entries; };

struct DeviceParts {
  Environment env;
  caf::actor node;
  caf::actor worker;  ///< compiles
  CompilePlan compile;
  model::DeviceSpec device;
};

[[nodiscard]] caf::actor spawn_device(caf::actor_system& system, DeviceParts parts);

}  // namespace frenzy::actors
