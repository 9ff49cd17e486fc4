#pragma once
// A job and two nodes with every field set, for what is rendered from values.

#include "frenzy/cli/surface.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::testing {

inline const WallTime kNow{std::chrono::seconds(1796075844)};  // 2026-11-30T21:57:24Z
inline const cli::Surface kFile{};

inline Uuid uuid_of(std::uint8_t number) {
  Uuid out;
  out.bytes.fill(number);
  return out;
}

inline model::DeviceShare share(const char* name, std::uint32_t samples, std::uint64_t elements, Bytes weights, Bytes measured) {
  model::DeviceShare out{.device = {uuid_of(1)}, .device_name = name, .node = {uuid_of(2)}, .node_name = "n1",
                         .samples = samples, .micro_batch = 4, .owned_elements = elements, .why = "4x as fast as n2/cpu0"};
  out.predicted[model::Part::weights] = weights;
  out.predicted[model::Part::reserve] = 1_MiB;
  out.measured = measured;
  return out;
}

inline model::JobSummary summary() {
  return {.id = {uuid_of(0xab)}, .name = "tale", .state = model::JobState::running, .since = kNow - std::chrono::seconds(75),
          .reason = "3 devices train", .submitted = kNow - std::chrono::seconds(90), .step = {120}, .steps = 1000, .saved = {100},
          .loss = 2.34124, .tokens_per_second = 12345, .owner = "ada"};
}

inline model::JobDetail detail() {
  model::JobDetail out{.summary = summary(), .toml = "name = \"tale\"\n", .epoch = {2}};
  out.shares = {share("n1/cpu0", 21, 750, 8_MiB, 8_MiB), share("n2/cpu0", 7, 250, 8_MiB, {})};
  out.notes = {"n3/cpu0 is left out: 8.0 MiB are too small"};
  out.predicted_step = Seconds{0.25};
  out.history = {{model::JobState::submitted, kNow - std::chrono::seconds(90), "waits for a plan"},
                 {model::JobState::running, kNow - std::chrono::seconds(75), "3 devices\r\x1b[2J train"}};
  return out;
}

inline model::NodeStatus node(const char* name, model::NodeState state) {
  model::NodeStatus out{.node = {.id = {uuid_of(3)}, .name = name, .address = "127.0.0.1:4711", .devices = {}}, .state = state,
                        .since = kNow - std::chrono::seconds(7), .reason = "1 device measured"};
  out.node.devices.push_back({.id = {uuid_of(4)}, .name = format("{}/cpu0", name), .memory = 512_MiB, .free = 500_MiB, .slowdown = 4});
  out.rates = {{1.5e9}};
  out.held = {12_MiB};
  out.jobs = {"tale"};
  return out;
}

inline model::StepRow row(std::uint64_t step, std::int64_t seconds) {
  return {.step = {step}, .at = kNow + std::chrono::seconds(seconds), .loss_sum = 230.0, .tokens = 100, .norm = 1.5,
          .learning_rate = 0.001, .duration = Seconds{0.5}};
}

}  // namespace frenzy::testing
