#pragma once
// What the shell sees: one number for each kind of end.

#include "frenzy/base/result.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::cli {

enum class ExitCode : int {
  ok = 0,
  failed = 1,        ///< the job failed, or something else that a repetition may cure
  usage = 2,         ///< the request is wrong: arguments, job file, a thing this version does not do
  cannot_reach = 3,  ///< no coordinator answers, or it does not let us in
  not_found = 4,
  does_not_fit = 5,
  cancelled = 6,     ///< the job was cancelled
  interrupted = 130  ///< Ctrl-C
};

/// cancelled: an operation of this program that Ctrl-C ended.
[[nodiscard]] ExitCode exit_code(const Error& why);
/// Of a job that has ended; `ok` while it has not.
[[nodiscard]] ExitCode exit_code(const model::JobSummary& job);

}  // namespace frenzy::cli
