#pragma once
// What must hold when the faults are over and every job has ended.

#include "cluster.hpp"
#include "job_cases.hpp"
#include "scenario.hpp"

namespace frenzy::simulation {

/// Recorded steps and the newest save of one job against the oracle, and its end against its state.
void check_job(Cluster& cluster, const JobCase& job, bool disturbed, Outcome& out);

/// Nothing is held, nothing runs, no device was granted twice, nobody logged an error.
void check_cluster(Cluster& cluster, Outcome& out);

}  // namespace frenzy::simulation
