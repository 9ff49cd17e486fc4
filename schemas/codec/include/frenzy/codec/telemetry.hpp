#pragma once
// What watchers see.

#include <string>
#include <vector>

#include "frenzy/model/job_record.hpp"

namespace frenzy::codec {

/// History from `from` on, then, if `follow`, what happens until the job has ended.
struct WatchJob {
  static constexpr const char* kName = "watchJob";
  std::string job{};
  Step from{};
  bool follow = false;
  friend bool operator==(const WatchJob&, const WatchJob&) = default;
};

/// One part of a watch, all with the correlation of the WatchJob.
struct JobUpdate {
  static constexpr const char* kName = "jobUpdate";
  model::JobSummary summary{};
  std::vector<model::StateChange> changes{};
  std::vector<model::StepRow> rows{};
  bool last = false;
  friend bool operator==(const JobUpdate&, const JobUpdate&) = default;
};

}  // namespace frenzy::codec
