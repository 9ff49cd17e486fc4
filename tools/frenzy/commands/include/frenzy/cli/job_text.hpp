#pragma once
// Jobs and nodes for people. Pure: values to text that ends in a newline. Text from elsewhere is
// cleaned of control bytes.

#include <span>
#include <string>

#include "frenzy/cli/surface.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::cli {

[[nodiscard]] std::string jobs_text(std::span<const model::JobSummary> jobs, const Surface& surface, WallTime now);

/// State, progress, what each device has and why, what was left out, history.
[[nodiscard]] std::string job_text(const model::JobDetail& job, const Surface& surface);

/// Table of the devices of a plan; empty without one.
[[nodiscard]] std::string shares_text(const model::JobDetail& job, const Surface& surface);

[[nodiscard]] std::string nodes_text(std::span<const model::NodeStatus> nodes, const Surface& surface, WallTime now);

/// "TIME running: every runner is ready\n"
[[nodiscard]] std::string change_line(const model::StateChange& change);
/// "TIME step=3 loss=2.3412 ...\n"
[[nodiscard]] std::string step_line(const model::StepRow& row);
/// "tale finished: 30 steps ...\n"
[[nodiscard]] std::string end_line(const model::JobSummary& job);

}  // namespace frenzy::cli
