// watch, wait, cancel.
#include <algorithm>

#include "frenzy/cli/job_json.hpp"
#include "frenzy/cli/job_text.hpp"
#include "frenzy/cli/progress.hpp"
#include "verbs.hpp"

namespace frenzy::cli {
namespace {

constexpr auto kBetweenLines = std::chrono::seconds{2};             ///< of progress in a file
constexpr auto kBetweenRedraws = std::chrono::milliseconds{100};  ///< on a terminal

/// Prints what a watch tells: state changes on lines of their own, steps as progress.
class Follower {
 public:
  explicit Follower(const Context& context) : context_(context) {}

  void show(const codec::JobUpdate& update) {
    last = update.summary;
    for (const auto& change : update.changes) {
      end_line_drawn();
      context_.console->out(context_.format == Format::json ? change_json(change) : change_line(change));
    }
    if (update.rows.empty()) return;
    if (context_.format == Format::text) return progress(update);
    for (const auto& row : update.rows) context_.console->out(step_json(row));
  }

  void end_line_drawn() {
    if (drawn_) context_.console->out(progress_end(context_.surface));
    drawn_ = false;
  }

  model::JobSummary last{};

 private:
  void progress(const codec::JobUpdate& update) {
    const auto& row = update.rows.back();
    const auto now = context_.clock->now();
    const bool redraws = context_.surface.medium == Medium::terminal;
    const std::chrono::nanoseconds pause = redraws ? std::chrono::nanoseconds{kBetweenRedraws} : kBetweenLines;
    if (written_ && now - *written_ < pause && row.step.value != update.summary.steps) return;
    written_ = now;
    const auto left = update.summary.steps - std::min(update.summary.steps, row.step.value);
    const Progress line{.step = row.step.value,
                        .steps = update.summary.steps,
                        .loss = row.loss(),
                        .tokens_per_second = update.summary.tokens_per_second,
                        .learning_rate = row.learning_rate,
                        .memory = {},
                        .left = row.duration * static_cast<double>(left)};
    context_.console->out(progress_text(line, context_.surface, context_.clock->wall()));
    drawn_ = redraws;
  }

  const Context& context_;
  bool drawn_ = false;
  std::optional<TimePoint> written_{};
};

}  // namespace

ExitCode detached(const Context& context, const std::string& job) {
  context.console->err(format("frenzy: stopped watching; the job goes on. `frenzy cancel {}` ends it\n", clean(job)));
  return ExitCode::interrupted;
}

namespace {

/// Waits for a job's end without its steps.
Result<model::JobSummary> end_of(Coordinator& coordinator, const std::string& job) {
  model::JobSummary last;
  const auto told = coordinator.watch({.job = job, .from = kNoRows, .follow = true},
                                      [&](const codec::JobUpdate& update) {
                                        last = update.summary;
                                        return Watching::on;
                                      });
  if (!told) return told.error();
  return last;
}

}  // namespace

ExitCode follow(const Context& context, Coordinator& coordinator, const std::string& job) {
  Follower follower(context);
  const auto told = coordinator.watch({.job = job, .follow = true}, [&](const codec::JobUpdate& update) {
    follower.show(update);
    return Watching::on;
  });
  follower.end_line_drawn();
  if (!told) return told.error().code == Errc::cancelled ? detached(context, job) : complain(context, told.error());
  return exit_code(follower.last);
}

ExitCode do_verb(const Context& context, const command::Watch& verb) {
  auto coordinator = context.connect();
  if (!coordinator) return complain(context, coordinator.error());
  return follow(context, **coordinator, verb.job);
}

ExitCode do_verb(const Context& context, const command::Wait& verb) {
  auto coordinator = context.connect();
  if (!coordinator) return complain(context, coordinator.error());
  const auto end = end_of(**coordinator, verb.job);
  if (!end) return end.error().code == Errc::cancelled ? detached(context, verb.job) : complain(context, end.error());
  context.console->out(end_line(*end));
  return exit_code(*end);
}

ExitCode do_verb(const Context& context, const command::Cancel& verb) {
  auto coordinator = context.connect();
  if (!coordinator) return complain(context, coordinator.error());
  const auto accepted = (*coordinator)->ask_for<codec::Accepted>(codec::CancelJob{verb.job});
  if (!accepted) return complain(context, accepted.error());
  const auto end = end_of(**coordinator, verb.job);
  if (!end) return complain(context, at("the job is being cancelled", end.error()));
  context.console->out(end_line(*end));
  return end->state == model::JobState::failed ? ExitCode::failed : ExitCode::ok;
}

}  // namespace frenzy::cli
