#pragma once
// The CLI's verbs. Each prints its answer and returns the exit code:
//   0 ok, 1 job failed or other error, 2 usage, 3 cannot reach, 4 not found, 5 does not fit,
//   6 cancelled, 130 interrupted

#include <string>
#include <vector>

#include "connection.hpp"
#include "frenzy/cli/surface.hpp"

namespace frenzy::tools {

enum class Format : unsigned char { text, json };

/// What every verb that needs the coordinator is given.
struct Context {
  ConnectionOptions where;
  Format format = Format::text;
  cli::Surface surface;
  const Clock* clock = nullptr;
  Log* log = nullptr;
};

struct SubmitOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool wait = false;
};

/// "frenzy: what" on standard error, and the code for it.
int complain(const Error& why);
[[nodiscard]] int exit_code(const Error& why);
/// Of a job that has ended.
[[nodiscard]] int exit_code(const model::JobSummary& summary);

int submit(const Context& context, const SubmitOptions& options);
int list_jobs(const Context& context);
int show_job(const Context& context, const std::string& job);
int job_logs(const Context& context, const std::string& job);
int watch_job(const Context& context, const std::string& job);
int wait_job(const Context& context, const std::string& job);
int cancel_job(const Context& context, const std::string& job);
int list_nodes(const Context& context);
int doctor(const Context& context);
int new_job(const std::string& preset);

int list_keys(const Context& context);
int add_key(const Context& context, const std::string& user);
int revoke_key(const Context& context, const std::string& user);

/// Follows a job: progress lines, then its end. Also what `submit --wait` does.
int follow(Connection& connection, const Context& context, const std::string& job);

}  // namespace frenzy::tools
