#pragma once
// The planner and compiler as the actors take them: functions over plain values, with a backend's
// catalogue. Coordinator and nodes must be of one version, so that both compile to the same program.

#include "frenzy/model/job_record.hpp"
#include "frenzy/model/job_spec.hpp"
#include "frenzy/program/kernel_catalogue.hpp"
#include "frenzy/program/program.hpp"
#include "frenzy/training/backend.hpp"

namespace frenzy::training {

/// Workspace of a backend's kernels for a model and recipe.
[[nodiscard]] Result<program::KernelCatalogue> catalogue(const Backend& backend, const model::ModelSpec& model,
                                                         const model::Recipe& recipe);

[[nodiscard]] Result<model::PlannedJob> plan_job_on(const Backend& backend, const model::JobSpec& job,
                                                    const model::ClusterSpec& cluster,
                                                    const model::Calibration& calibration, Epoch epoch);
/// On cpu_backend().
[[nodiscard]] Result<model::PlannedJob> plan_job(const model::JobSpec& job, const model::ClusterSpec& cluster,
                                                 const model::Calibration& calibration, Epoch epoch);

/// What `device` runs of the plan, packed. not_found if it has no part.
[[nodiscard]] Result<program::PackedProgram> compile_on(const Backend& backend, const model::Plan& plan, DeviceId device);
/// On cpu_backend().
[[nodiscard]] Result<program::PackedProgram> compile_for(const model::Plan& plan, DeviceId device);

}  // namespace frenzy::training
