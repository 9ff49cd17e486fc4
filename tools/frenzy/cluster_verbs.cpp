// ls, show, cancel, nodes.
#include <cstdio>

#include "frenzy/cli/human.hpp"
#include "frenzy/cli/table.hpp"
#include "json_output.hpp"
#include "verbs.hpp"

namespace frenzy::tools {
namespace {

using cli::Align;
using cli::Column;
using cli::Shrink;
using Rows = std::vector<std::vector<std::string>>;

void print(const Context& context, const std::vector<Column>& columns, const Rows& rows) {
  std::fputs(cli::table_text(columns, rows, context.surface).c_str(), stdout);
}

std::string text(std::string_view view) { return std::string(view); }

std::string fixed(double value, int digits) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.*f", digits, value);
  return out;
}

std::string short_id(JobId id) { return format("{}", id).substr(0, 8); }

std::string ago(const Context& context, WallTime since) {
  return cli::duration_text(Seconds{context.clock->wall() - since});
}

void print_summary(const model::JobSummary& job) {
  std::printf("%s  %s\n%s since %s: %s\nstep %llu of %llu, last save at step %llu, loss %.4f, %s tokens/s\n",
              cli::clean(job.name).c_str(), format("{}", job.id).c_str(), text(model::name_of(job.state)).c_str(),
              cli::time_text(job.since).c_str(), cli::clean(job.reason).c_str(),
              static_cast<unsigned long long>(job.step.value), static_cast<unsigned long long>(job.steps),
              static_cast<unsigned long long>(job.saved.value), job.loss, cli::count_text(job.tokens_per_second).c_str());
}

void print_shares(const Context& context, const model::JobDetail& job) {
  Rows rows;
  for (const auto& share : job.shares) {
    rows.push_back({share.device_name, format("{}", share.samples), format("{}", share.micro_batch),
                    format("{}", Bytes{share.owned_elements * 4}), format("{}", share.predicted.total()), format("{}", share.arena()),
                    share.measured.value == 0 ? "-" : format("{}", share.measured), share.why});
  }
  std::printf("\nepoch %llu, predicted step %s\n", static_cast<unsigned long long>(job.epoch.value), format("{}", job.predicted_step).c_str());
  print(context, {{"DEVICE"}, {"SAMPLES", Align::right}, {"MICRO", Align::right}, {"OWNS", Align::right}, {"RESERVED", Align::right},
                  {"ARENA", Align::right}, {"MEASURED", Align::right}, {"WHY", Align::left, Shrink::yes}}, rows);
  for (const auto& note : job.notes) std::printf("%s\n", cli::clean(note).c_str());
}

void print_history(const model::JobDetail& job) {
  std::printf("\n");
  for (const auto& change : job.history) {
    std::printf("%s  %-9s  %s\n", cli::time_text(change.since).c_str(), text(model::name_of(change.state)).c_str(), cli::clean(change.reason).c_str());
  }
}

}  // namespace

int exit_code(const Error& why) {
  switch (why.code) {
    case Errc::invalid_argument:
    case Errc::unsupported: return 2;
    case Errc::unreachable:
    case Errc::timed_out:
    case Errc::refused: return 3;
    case Errc::not_found: return 4;
    case Errc::does_not_fit: return 5;
    case Errc::cancelled: return 130;
    default: return 1;
  }
}

int complain(const Error& why) {
  std::fprintf(stderr, "frenzy: %s\n", why.what.c_str());
  return exit_code(why);
}

int list_jobs(const Context& context) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  const auto list = (*connection)->ask_for<codec::JobList>(codec::ListJobs{});
  if (!list) return complain(list.error());
  if (context.format == Format::json) return std::printf("%s\n", json_text(list->jobs).c_str()) < 0 ? 1 : 0;
  Rows rows;
  for (const auto& job : list->jobs) {
    rows.push_back({short_id(job.id), job.name, text(model::name_of(job.state)), ago(context, job.since), format("{}/{}", job.step, job.steps),
                    job.step.value == 0 ? "-" : fixed(job.loss, 4), job.reason});
  }
  print(context, {{"ID"}, {"NAME"}, {"STATE"}, {"SINCE", Align::right}, {"STEP", Align::right}, {"LOSS", Align::right}, {"REASON", Align::left, Shrink::yes}}, rows);
  return 0;
}

int show_job(const Context& context, const std::string& job) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  const auto detail = (*connection)->ask_for<codec::JobDetail>(codec::ShowJob{job});
  if (!detail) return complain(detail.error());
  if (context.format == Format::json) return std::printf("%s\n", json_text(detail->job).c_str()) < 0 ? 1 : 0;
  print_summary(detail->job.summary);
  if (!detail->job.shares.empty()) print_shares(context, detail->job);
  print_history(detail->job);
  return 0;
}

int cancel_job(const Context& context, const std::string& job) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  const auto done = (*connection)->ask_for<codec::Accepted>(codec::CancelJob{job});
  if (!done) return complain(done.error());
  model::JobSummary last;
  const auto status = (*connection)->watch({.job = job, .from = {UINT32_MAX}, .follow = true},
                                           [&](const codec::JobUpdate& update) { last = update.summary; });
  if (!status) return complain(status.error());
  std::printf("%s %s: %s\n", cli::clean(last.name).c_str(), text(model::name_of(last.state)).c_str(), cli::clean(last.reason).c_str());
  return 0;
}

int list_nodes(const Context& context) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  const auto list = (*connection)->ask_for<codec::NodeList>(codec::ListNodes{});
  if (!list) return complain(list.error());
  if (context.format == Format::json) return std::printf("%s\n", json_text(list->nodes).c_str()) < 0 ? 1 : 0;
  Rows rows;
  for (const auto& status : list->nodes) {
    for (std::size_t i = 0; i < status.node.devices.size(); ++i) {
      const auto& device = status.node.devices[i];
      const auto rate = i < status.rates.size() ? status.rates[i].value : 0;
      rows.push_back({status.node.name, text(model::name_of(status.state)), ago(context, status.since), device.name, format("{}", device.memory),
                      format("{}", device.free), rate > 0 ? cli::count_text(rate) + "FLOP/s" : "-", status.reason});
    }
  }
  print(context, {{"NODE"}, {"STATE"}, {"SINCE", Align::right}, {"DEVICE"}, {"MEMORY", Align::right}, {"FREE", Align::right}, {"RATE", Align::right},
                  {"REASON", Align::left, Shrink::yes}}, rows);
  return 0;
}

}  // namespace frenzy::tools
