#include "frenzy/cli/exit_code.hpp"

namespace frenzy::cli {

ExitCode exit_code(const Error& why) {
  switch (why.code) {
    case Errc::invalid_argument:
    case Errc::unsupported: return ExitCode::usage;
    case Errc::unreachable:
    case Errc::refused:
    case Errc::timed_out: return ExitCode::cannot_reach;
    case Errc::not_found: return ExitCode::not_found;
    case Errc::does_not_fit: return ExitCode::does_not_fit;
    case Errc::cancelled: return ExitCode::interrupted;
    case Errc::corrupt:
    case Errc::io:
    case Errc::exhausted:
    case Errc::conflict:
    case Errc::internal: return ExitCode::failed;
  }
  return ExitCode::failed;
}

ExitCode exit_code(const model::JobSummary& job) {
  if (job.state == model::JobState::cancelled) return ExitCode::cancelled;
  if (job.state != model::JobState::failed) return ExitCode::ok;
  return job.failure == Errc::does_not_fit ? ExitCode::does_not_fit : ExitCode::failed;
}

}  // namespace frenzy::cli
