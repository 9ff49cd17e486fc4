#pragma once
// The planner's plan, changed at random where a plan may legally differ: replicated or sharded optimizer
// state, uneven and empty shards, micro-batch sizes. Programs, footprints and fingerprints are made anew.

#include "frenzy/base/rng.hpp"
#include "frenzy/training/backend.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::simulation {

/// `planned` itself if the change does not fit the devices' free memory.
[[nodiscard]] model::PlannedJob varied(const training::Backend& backend, model::PlannedJob planned,
                                       const model::ClusterSpec& cluster, Rng& rng);

}  // namespace frenzy::simulation
