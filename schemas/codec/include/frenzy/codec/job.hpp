#pragma once
// Jobs, as a client submits and sees them.

#include <string>
#include <vector>

#include "frenzy/model/job_record.hpp"

namespace frenzy::codec {

/// The client makes the id, so a retry never makes two jobs.
struct SubmitJob {
  static constexpr const char* kName = "submitJob";
  JobId job{};
  std::string toml{};
  std::vector<model::DataManifest> data{};
  friend bool operator==(const SubmitJob&, const SubmitJob&) = default;
};

struct JobAccepted {
  static constexpr const char* kName = "jobAccepted";
  JobId job{};
  model::JobState state = model::JobState::submitted;
  friend bool operator==(const JobAccepted&, const JobAccepted&) = default;
};

struct ListJobs {
  static constexpr const char* kName = "listJobs";
  friend bool operator==(const ListJobs&, const ListJobs&) = default;
};

struct JobList {
  static constexpr const char* kName = "jobList";
  std::vector<model::JobSummary> jobs{};
  friend bool operator==(const JobList&, const JobList&) = default;
};

/// `job` is an id, the unique beginning of one, or a name (the newest job of it).
struct ShowJob {
  static constexpr const char* kName = "showJob";
  std::string job{};
  friend bool operator==(const ShowJob&, const ShowJob&) = default;
};

struct JobDetail {
  static constexpr const char* kName = "jobDetail";
  model::JobDetail job{};
  friend bool operator==(const JobDetail&, const JobDetail&) = default;
};

struct CancelJob {
  static constexpr const char* kName = "cancelJob";
  std::string job{};
  friend bool operator==(const CancelJob&, const CancelJob&) = default;
};

}  // namespace frenzy::codec
