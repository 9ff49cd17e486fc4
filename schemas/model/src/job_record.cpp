#include "frenzy/model/job_record.hpp"

namespace frenzy::model {

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::submitted: return "submitted";
    case JobState::planned: return "planned";
    case JobState::reserved: return "reserved";
    case JobState::starting: return "starting";
    case JobState::running: return "running";
    case JobState::rescaling: return "rescaling";
    case JobState::paused: return "paused";
    case JobState::held: return "held";
    case JobState::finished: return "finished";
    case JobState::failed: return "failed";
    case JobState::cancelled: return "cancelled";
  }
  return "unknown";
}

bool is_terminal(JobState state) {
  return state == JobState::finished || state == JobState::failed || state == JobState::cancelled;
}

bool is_placed(JobState state) {
  return state == JobState::planned || state == JobState::reserved || state == JobState::starting ||
         state == JobState::running || state == JobState::rescaling;
}

std::string_view name_of(NodeState state) {
  switch (state) {
    case NodeState::joining: return "joining";
    case NodeState::healthy: return "healthy";
    case NodeState::draining: return "draining";
    case NodeState::lost: return "lost";
    case NodeState::removed: return "removed";
  }
  return "unknown";
}

}  // namespace frenzy::model
