#include "frenzy/cli/job_text.hpp"

#include <array>
#include <cstdio>
#include <numeric>

#include "frenzy/cli/human.hpp"
#include "frenzy/cli/table.hpp"

namespace frenzy::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string printed(const char* pattern, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string age(WallTime since, WallTime now) { return duration_text(Seconds{now - since}); }

std::string loss_text(const model::JobSummary& job) { return job.step.value == 0 ? "-" : printed("%.4f", job.loss); }

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : printed("%.1f%%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<std::string> share_row(const model::DeviceShare& share, std::uint64_t elements) {
  return {share.device_name,
          format("{}", share.samples),
          format("{}", share.micro_batch),
          percent(share.owned_elements, elements),
          format("{}", share.predicted.total()),
          format("{}", share.arena()),
          share.measured.value == 0 ? "-" : format("{}", share.measured),
          share.why};
}

std::string head_text(const model::JobSummary& job) {
  auto out = format("{}  {}\n", clean(job.name), job.id);
  out += format("{} since {}: {}\n", model::name_of(job.state), time_text(job.since), clean(job.reason));
  out += format("submitted {}{}, step {} of {}, ", job.owner.empty() ? std::string() : format("by {} ", clean(job.owner)),
                time_text(job.submitted), job.step, job.steps);
  out += job.saved.value == 0 ? std::string("nothing saved") : format("last save at step {}", job.saved);
  if (job.step.value != 0) {
    out += format(", loss {}, {} tokens/s", loss_text(job), count_text(job.tokens_per_second));
  }
  return out + '\n';
}

std::string notes_text(const model::JobDetail& job) {
  if (job.notes.empty()) return {};
  std::string out = "\nLeft out, and what limits it\n";
  for (const auto& note : job.notes) out += format("  {}\n", clean(note));
  return out;
}

std::vector<std::string> device_row(const model::NodeStatus& status, std::size_t i, WallTime now) {
  const auto& device = status.node.devices[i];
  const auto rate = i < status.rates.size() ? status.rates[i].value : 0;
  const auto held = i < status.held.size() ? status.held[i] : Bytes{};
  return {status.node.name,
          std::string(model::name_of(status.state)),
          age(status.since, now),
          device.name,
          format("{}", device.memory),
          format("{}", held),
          rate > 0 ? count_text(rate) + "FLOP/s" : "-",
          status.reason};
}

}  // namespace

std::string jobs_text(std::span<const model::JobSummary> jobs, const Surface& surface, WallTime now) {
  if (jobs.empty()) return "no jobs yet; `frenzy new job.toml` writes one to submit\n";
  Rows rows;
  for (const auto& job : jobs) {
    rows.push_back({format("{}", job.id).substr(0, 8), job.name, job.owner, std::string(model::name_of(job.state)),
                    age(job.since, now), format("{}/{}", job.step, job.steps), loss_text(job), job.reason});
  }
  const std::array<Column, 8> columns{{{"ID"}, {"NAME", Align::left, Shrink::yes}, {"OWNER"}, {"STATE"}, {"SINCE", Align::right},
                                       {"STEP", Align::right}, {"LOSS", Align::right}, {"REASON", Align::left, Shrink::yes}}};
  return table_text(columns, rows, surface);
}

std::string shares_text(const model::JobDetail& job, const Surface& surface) {
  if (job.shares.empty()) return {};
  const auto elements = std::accumulate(job.shares.begin(), job.shares.end(), std::uint64_t{0},
                                        [](std::uint64_t sum, const auto& share) { return sum + share.owned_elements; });
  Rows rows;
  for (const auto& share : job.shares) rows.push_back(share_row(share, elements));
  const std::array<Column, 8> columns{{{"DEVICE"}, {"SAMPLES", Align::right}, {"MICRO", Align::right}, {"STATE", Align::right},
                                       {"PREDICTED", Align::right}, {"ARENA", Align::right}, {"MEASURED", Align::right},
                                       {"WHY", Align::left, Shrink::yes}}};
  return table_text(columns, rows, surface);
}

std::string job_text(const model::JobDetail& job, const Surface& surface) {
  auto out = head_text(job.summary);
  if (!job.shares.empty()) {
    out += format("\nEpoch {}, predicted step {}\n", job.epoch, job.predicted_step);
    out += shares_text(job, surface);
  }
  out += notes_text(job);
  if (!job.history.empty()) out += "\nHistory\n";
  for (const auto& change : job.history) out += "  " + change_line(change);
  return out;
}

std::string nodes_text(std::span<const model::NodeStatus> nodes, const Surface& surface, WallTime now) {
  if (nodes.empty()) return "no node has joined; `frenzy-node --device 512MiB:2` starts one here\n";
  Rows rows;
  for (const auto& status : nodes) {
    for (std::size_t i = 0; i < status.node.devices.size(); ++i) rows.push_back(device_row(status, i, now));
  }
  const std::array<Column, 8> columns{{{"NODE"}, {"STATE"}, {"SINCE", Align::right}, {"DEVICE"}, {"MEMORY", Align::right},
                                       {"HELD", Align::right}, {"RATE", Align::right}, {"REASON", Align::left, Shrink::yes}}};
  return table_text(columns, rows, surface);
}

std::string change_line(const model::StateChange& change) {
  return format("{} {}: {}\n", time_text(change.since), model::name_of(change.state), clean(change.reason));
}

std::string step_line(const model::StepRow& row) {
  return format("{} step={} loss={} norm={} lr={} seconds={}\n", time_text(row.at), row.step, printed("%.4f", row.loss()),
                printed("%.4g", row.norm), printed("%.4g", row.learning_rate), printed("%.3f", row.duration.count()));
}

std::string end_line(const model::JobSummary& job) {
  return format("{} {}: {}\n", clean(job.name), model::name_of(job.state), clean(job.reason));
}

}  // namespace frenzy::cli
