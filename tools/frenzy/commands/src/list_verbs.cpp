// ls, show, nodes, logs.
#include <algorithm>

#include "frenzy/cli/job_json.hpp"
#include "frenzy/cli/job_text.hpp"
#include "frenzy/cli/plot.hpp"
#include "verbs.hpp"

namespace frenzy::cli {

ExitCode do_verb(const Context& context, const command::List&) {
  const auto list = ask_once<codec::JobList>(context, codec::ListJobs{});
  if (!list) return complain(context, list.error());
  context.console->out(context.format == Format::json ? jobs_json(list->jobs)
                                                      : jobs_text(list->jobs, context.surface, context.clock->wall()));
  return ExitCode::ok;
}

ExitCode do_verb(const Context& context, const command::Show& verb) {
  const auto detail = ask_once<codec::JobDetail>(context, codec::ShowJob{verb.job});
  if (!detail) return complain(context, detail.error());
  context.console->out(context.format == Format::json ? job_json(detail->job) : job_text(detail->job, context.surface));
  return ExitCode::ok;
}

ExitCode do_verb(const Context& context, const command::Nodes&) {
  const auto list = ask_once<codec::NodeList>(context, codec::ListNodes{});
  if (!list) return complain(context, list.error());
  context.console->out(context.format == Format::json ? nodes_json(list->nodes)
                                                      : nodes_text(list->nodes, context.surface, context.clock->wall()));
  return ExitCode::ok;
}

ExitCode do_verb(const Context& context, const command::RemoveNode& verb) {
  const auto done = ask_once<codec::Accepted>(context, codec::RemoveNode{verb.node});
  if (!done) return complain(context, done.error());
  context.console->out(format("{} is removed: its identity admits it no more\n", clean(verb.node)));
  return ExitCode::ok;
}

namespace {

/// The part of a job's history that was told so far, in the order of time.
class Logbook {
 public:
  void add(const codec::JobUpdate& update) {
    changes_.insert(changes_.end(), update.changes.begin(), update.changes.end());
    rows_.insert(rows_.end(), update.rows.begin(), update.rows.end());
  }
  [[nodiscard]] std::string text(Format format) const {
    std::string out;
    auto row = rows_.begin();
    const auto add_rows = [&](WallTime until) {
      for (; row != rows_.end() && row->at < until; ++row) out += format == Format::json ? step_json(*row) : step_line(*row);
    };
    for (const auto& change : changes_) {
      add_rows(change.since);
      out += format == Format::json ? change_json(change) : change_line(change);
    }
    add_rows(WallTime::max());
    return out;
  }
  [[nodiscard]] std::string plot(const Surface& surface) const {
    std::vector<CurvePoint> points;
    for (const auto& row : rows_) points.push_back({row.step.value, row.loss()});
    const PlotSize size{.width = std::clamp<std::size_t>(surface.width, 20, 78), .height = 12};
    return points.empty() ? "no step yet\n" : plot_text(points, size, surface.glyphs);
  }

 private:
  std::vector<model::StateChange> changes_;
  std::vector<model::StepRow> rows_;
};

}  // namespace

ExitCode do_verb(const Context& context, const command::Logs& verb) {
  auto coordinator = context.connect();
  if (!coordinator) return complain(context, coordinator.error());
  Logbook book;
  const auto told = (*coordinator)->watch({.job = verb.job}, [&](const codec::JobUpdate& update) {
    book.add(update);
    return Watching::on;
  });
  context.console->out(verb.plot ? book.plot(context.surface) : book.text(context.format));
  return told ? ExitCode::ok : complain(context, told.error());
}

}  // namespace frenzy::cli
