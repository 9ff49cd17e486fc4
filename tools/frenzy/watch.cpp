#include <cstdio>

#include "frenzy/cli/human.hpp"
#include "frenzy/cli/progress.hpp"
#include "json_output.hpp"
#include "verbs.hpp"

namespace frenzy::tools {
namespace {

using model::JobState;

std::string state_line(const model::StateChange& change) {
  return format("{} {}: {}\n", cli::time_text(change.since), model::name_of(change.state), cli::clean(change.reason));
}

/// Prints what a watch tells: state changes on lines of their own, steps as progress.
class Follower {
 public:
  Follower(const Context& context) : context_(context) {}

  void show(const codec::JobUpdate& update) {
    last = update.summary;
    for (const auto& change : update.changes) {
      write(cli::progress_end(context_.surface), drawn_);
      write(state_line(change), true);
      drawn_ = false;
    }
    if (!update.rows.empty()) steps(update);
  }
  void finish() { write(cli::progress_end(context_.surface), drawn_); }

  model::JobSummary last;

 private:
  static void write(const std::string& text, bool wanted) {
    if (!wanted) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  void steps(const codec::JobUpdate& update) {
    if (context_.format == Format::json) {
      for (const auto& row : update.rows) write(json_text(row) + "\n", true);
      return;
    }
    const auto now = context_.clock->wall();
    const auto& row = update.rows.back();
    // A file gets a line every few seconds and the last one; a terminal is drawn again each time.
    const bool due = context_.surface.medium == cli::Medium::terminal || now - drawn_at_ > std::chrono::seconds{2} ||
                     row.step.value == update.summary.steps;
    if (!due) return;
    drawn_at_ = now;
    cli::Progress progress{.step = row.step.value, .steps = update.summary.steps, .loss = row.loss(),
                           .tokens_per_second = update.summary.tokens_per_second, .learning_rate = row.learning_rate,
                           .memory = {}, .left = {}};
    const auto left = update.summary.steps - std::min(update.summary.steps, row.step.value);
    progress.left = row.duration * static_cast<double>(left);
    write(cli::progress_text(progress, context_.surface, now), true);
    drawn_ = context_.surface.medium == cli::Medium::terminal;
  }

  const Context& context_;
  bool drawn_ = false;
  WallTime drawn_at_{};
};

int detached(const std::string& job) {
  std::fprintf(stderr, "\nfrenzy: stopped watching; job %s goes on. `frenzy cancel %s` ends it.\n", job.c_str(), job.c_str());
  return 130;
}

}  // namespace

int exit_code(const model::JobSummary& summary) {
  if (summary.state == JobState::finished) return 0;
  if (summary.state == JobState::cancelled) return 6;
  return summary.failure == Errc::does_not_fit ? 5 : 1;
}

int follow(Connection& connection, const Context& context, const std::string& job) {
  Follower follower(context);
  const auto status = connection.watch({.job = job, .follow = true}, [&](const codec::JobUpdate& update) { follower.show(update); });
  follower.finish();
  if (!status && status.error().code == Errc::cancelled) return detached(job);
  if (!status) return complain(status.error());
  return exit_code(follower.last);
}

int watch_job(const Context& context, const std::string& job) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  return follow(**connection, context, job);
}

int wait_job(const Context& context, const std::string& job) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  model::JobSummary last;
  const auto status = (*connection)->watch({.job = job, .from = {UINT32_MAX}, .follow = true},
                                           [&](const codec::JobUpdate& update) { last = update.summary; });
  if (!status && status.error().code == Errc::cancelled) return detached(job);
  if (!status) return complain(status.error());
  std::printf("%s %s: %s\n", last.name.c_str(), std::string(model::name_of(last.state)).c_str(), cli::clean(last.reason).c_str());
  return exit_code(last);
}

int job_logs(const Context& context, const std::string& job) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  std::vector<model::StateChange> changes;
  std::vector<model::StepRow> rows;
  const auto status = (*connection)->watch({.job = job}, [&](const codec::JobUpdate& update) {
    changes.insert(changes.end(), update.changes.begin(), update.changes.end());
    rows.insert(rows.end(), update.rows.begin(), update.rows.end());
  });
  if (!status) return complain(status.error());
  std::size_t row = 0;
  const auto print_rows = [&](WallTime until) {
    for (; row < rows.size() && rows[row].at < until; ++row) {
      const auto& r = rows[row];
      if (context.format == Format::json) {
        std::printf("%s\n", json_text(r).c_str());
      } else {
        std::printf("%s step=%llu loss=%.4f norm=%.3f lr=%.2e seconds=%.3f\n", cli::time_text(r.at).c_str(),
                    static_cast<unsigned long long>(r.step.value), r.loss(), r.norm, r.learning_rate, r.duration.count());
      }
    }
  };
  for (const auto& change : changes) {
    print_rows(change.since);
    if (context.format == Format::text) std::fputs(state_line(change).c_str(), stdout);
  }
  print_rows(WallTime::max());
  return 0;
}

}  // namespace frenzy::tools
