#pragma once
// Values as JSON, for --json.

#include <string>

#include "frenzy/model/job_record.hpp"

namespace frenzy::tools {

[[nodiscard]] std::string json_text(const std::vector<model::JobSummary>& jobs);
[[nodiscard]] std::string json_text(const model::JobDetail& job);
[[nodiscard]] std::string json_text(const std::vector<model::NodeStatus>& nodes);
[[nodiscard]] std::string json_text(const model::StepRow& row);

}  // namespace frenzy::tools
