#include "json_output.hpp"

#include <nlohmann/json.hpp>

#include "frenzy/cli/human.hpp"

namespace frenzy::tools {
namespace {

using nlohmann::json;

template <class T>
std::string text(const T& value) {
  return format("{}", value);
}

json to_json(const model::JobSummary& job) {
  return {{"id", text(job.id)}, {"name", job.name}, {"state", model::name_of(job.state)},
          {"since", cli::time_text(job.since)}, {"reason", job.reason},
          {"submitted", cli::time_text(job.submitted)}, {"step", job.step.value}, {"steps", job.steps},
          {"saved_step", job.saved.value}, {"loss", job.loss}, {"tokens_per_second", job.tokens_per_second}};
}

json to_json(const model::Footprint& footprint) {
  json parts = json::object();
  for (std::size_t i = 0; i < model::kParts; ++i) {
    parts[std::string(model::name_of(static_cast<model::Part>(i))) + "_bytes"] = footprint.parts[i].value;
  }
  return parts;
}

json to_json(const model::DeviceShare& share) {
  return {{"device", text(share.device)}, {"name", share.device_name}, {"node", share.node_name},
          {"samples", share.samples}, {"micro_batch", share.micro_batch}, {"owned_elements", share.owned_elements},
          {"why", share.why}, {"predicted", to_json(share.predicted)}, {"predicted_arena_bytes", share.arena().value},
          {"measured_bytes", share.measured.value}};
}

json to_json(const model::NodeStatus& status) {
  json devices = json::array();
  for (std::size_t i = 0; i < status.node.devices.size(); ++i) {
    const auto& device = status.node.devices[i];
    devices.push_back({{"id", text(device.id)}, {"name", device.name}, {"memory_bytes", device.memory.value},
                       {"free_bytes", device.free.value}, {"slowdown", device.slowdown},
                       {"matrix_flops_per_second", i < status.rates.size() ? status.rates[i].value : 0}});
  }
  return {{"id", text(status.node.id)}, {"name", status.node.name}, {"address", status.node.address},
          {"state", model::name_of(status.state)}, {"since", cli::time_text(status.since)},
          {"reason", status.reason}, {"devices", devices}, {"jobs", status.jobs}};
}

}  // namespace

std::string json_text(const std::vector<model::JobSummary>& jobs) {
  json out = json::array();
  for (const auto& job : jobs) out.push_back(to_json(job));
  return out.dump(2);
}

std::string json_text(const model::JobDetail& job) {
  json out = to_json(job.summary);
  out["epoch"] = job.epoch.value;
  out["toml"] = job.toml;
  out["predicted_step_seconds"] = job.predicted_step.count();
  out["notes"] = job.notes;
  out["devices"] = json::array();
  for (const auto& share : job.shares) out["devices"].push_back(to_json(share));
  out["history"] = json::array();
  for (const auto& change : job.history) {
    out["history"].push_back({{"state", model::name_of(change.state)}, {"since", cli::time_text(change.since)}, {"reason", change.reason}});
  }
  return out.dump(2);
}

std::string json_text(const std::vector<model::NodeStatus>& nodes) {
  json out = json::array();
  for (const auto& node : nodes) out.push_back(to_json(node));
  return out.dump(2);
}

std::string json_text(const model::StepRow& row) {
  return json{{"step", row.step.value}, {"at", cli::time_text(row.at)}, {"loss", row.loss()}, {"tokens", row.tokens},
              {"norm", row.norm}, {"learning_rate", row.learning_rate}, {"seconds", row.duration.count()}}
      .dump();
}

}  // namespace frenzy::tools
