#include "frenzy/cli/job_json.hpp"

#include "frenzy/cli/human.hpp"
#include "frenzy/cli/json_writer.hpp"

namespace frenzy::cli {
namespace {

template <class T>
std::string text(const T& value) {
  return format("{}", value);
}

void write_summary_fields(JsonWriter& json, const model::JobSummary& job) {
  json.field("id", text(job.id)).field("name", job.name).field("owner", job.owner).field("state", model::name_of(job.state));
  json.field("since", time_text(job.since)).field("reason", job.reason).field("submitted", time_text(job.submitted));
  json.field("step", job.step.value).field("steps", job.steps).field("saved_step", job.saved.value);
  json.field("loss", job.loss).field("tokens_per_second", job.tokens_per_second);
  if (job.failure) json.field("failure", name_of(*job.failure));
}

void write_footprint(JsonWriter& json, const model::Footprint& footprint) {
  json.begin_object();
  for (std::size_t i = 0; i < model::kParts; ++i) {
    const auto part = static_cast<model::Part>(i);
    json.field(format("{}_bytes", model::name_of(part)), footprint[part].value);
  }
  json.field("total_bytes", footprint.total().value).end_object();
}

void write_share(JsonWriter& json, const model::DeviceShare& share) {
  json.begin_object().field("device", text(share.device)).field("name", share.device_name);
  json.field("node", text(share.node)).field("node_name", share.node_name);
  json.field("samples", share.samples).field("micro_batch", share.micro_batch);
  json.field("owned_elements", share.owned_elements).field("why", share.why);
  json.key("predicted");
  write_footprint(json, share.predicted);
  json.field("predicted_arena_bytes", share.arena().value).field("measured_bytes", share.measured.value).end_object();
}

void write_change(JsonWriter& json, const model::StateChange& change) {
  json.begin_object().field("state", model::name_of(change.state)).field("since", time_text(change.since));
  json.field("reason", change.reason).end_object();
}

void write_node(JsonWriter& json, const model::NodeStatus& status) {
  json.begin_object().field("id", text(status.node.id)).field("name", status.node.name);
  json.field("address", status.node.address).field("state", model::name_of(status.state));
  json.field("since", time_text(status.since)).field("reason", status.reason).key("devices").begin_array();
  for (std::size_t i = 0; i < status.node.devices.size(); ++i) {
    const auto& device = status.node.devices[i];
    json.begin_object().field("id", text(device.id)).field("name", device.name);
    json.field("memory_bytes", device.memory.value).field("free_bytes", device.free.value);
    json.field("held_bytes", i < status.held.size() ? status.held[i].value : 0);
    json.field("slowdown", device.slowdown);
    json.field("matrix_flops_per_second", i < status.rates.size() ? status.rates[i].value : 0.0).end_object();
  }
  json.end_array().key("jobs").begin_array();
  for (const auto& job : status.jobs) json.value(job);
  json.end_array().end_object();
}

}  // namespace

std::string jobs_json(std::span<const model::JobSummary> jobs) {
  JsonWriter json;
  json.begin_array();
  for (const auto& job : jobs) {
    json.begin_object();
    write_summary_fields(json, job);
    json.end_object();
  }
  return json.end_array().text() + '\n';
}

std::string job_json(const model::JobDetail& job) {
  JsonWriter json;
  json.begin_object();
  write_summary_fields(json, job.summary);
  json.field("epoch", job.epoch.value).field("predicted_step_seconds", job.predicted_step.count());
  json.key("devices").begin_array();
  for (const auto& share : job.shares) write_share(json, share);
  json.end_array().key("notes").begin_array();
  for (const auto& note : job.notes) json.value(note);
  json.end_array().key("history").begin_array();
  for (const auto& change : job.history) write_change(json, change);
  return json.end_array().field("toml", job.toml).end_object().text() + '\n';
}

std::string nodes_json(std::span<const model::NodeStatus> nodes) {
  JsonWriter json;
  json.begin_array();
  for (const auto& node : nodes) write_node(json, node);
  return json.end_array().text() + '\n';
}

std::string change_json(const model::StateChange& change) {
  JsonWriter json;
  write_change(json, change);
  return json.text() + '\n';
}

std::string step_json(const model::StepRow& row) {
  JsonWriter json;
  json.begin_object().field("step", row.step.value).field("at", time_text(row.at)).field("loss", row.loss());
  json.field("tokens", row.tokens).field("norm", row.norm).field("learning_rate", row.learning_rate);
  json.field("seconds", row.duration.count()).end_object();
  return json.text() + '\n';
}

}  // namespace frenzy::cli
