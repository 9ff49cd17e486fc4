#pragma once
// Jobs and nodes for programs: one JSON text a value, with a newline. Fields are added, never renamed.
// Units are in the names; times are ISO 8601, UTC.

#include <span>
#include <string>

#include "frenzy/model/job_record.hpp"

namespace frenzy::cli {

[[nodiscard]] std::string jobs_json(std::span<const model::JobSummary> jobs);
[[nodiscard]] std::string job_json(const model::JobDetail& job);
[[nodiscard]] std::string nodes_json(std::span<const model::NodeStatus> nodes);
[[nodiscard]] std::string change_json(const model::StateChange& change);
[[nodiscard]] std::string step_json(const model::StepRow& row);

}  // namespace frenzy::cli
