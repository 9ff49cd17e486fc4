#pragma once
// A job on two nodes with one device each, and helpers to drive it.

#include <algorithm>

#include "frenzy/lifecycle/job.hpp"

namespace frenzy::lifecycle {

template <class T>
T numbered(std::uint8_t n) {
  T id;
  id.uuid.bytes[0] = n;
  return id;
}

inline const auto kNodeA = numbered<NodeId>(1);
inline const auto kNodeB = numbered<NodeId>(2);
inline const auto kDeviceA = numbered<DeviceId>(11);
inline const auto kDeviceB = numbered<DeviceId>(12);

inline model::PlannedJob two_devices() {
  model::PlannedJob planned;
  planned.predicted_step = Seconds{0.25};
  for (const bool first : {true, false}) {
    model::DeviceShare share;
    share.device = first ? kDeviceA : kDeviceB;
    share.node = first ? kNodeA : kNodeB;
    share.node_name = first ? "alpha" : "beta";
    share.predicted[model::Part::weights] = 3_MiB;
    share.predicted[model::Part::reserve] = 1_MiB;
    planned.shares.push_back(share);
  }
  return planned;
}

inline model::StepRow row(std::uint64_t step) {
  model::StepRow out;
  out.step = {step};
  out.loss_sum = 200;
  out.tokens = 100;
  out.duration = Seconds{0.5};
  return out;
}

/// Drives one job; keeps the effects of the last event.
struct Driver {
  Job job = new_job({.id = numbered<JobId>(7), .name = "tale", .steps = 10}, WallTime{});
  std::vector<JobEffect> effects;
  std::int64_t seconds = 0;

  Driver& operator<<(const JobEvent& event) {
    auto next = step(std::move(job), event, WallTime{std::chrono::seconds{++seconds}});
    job = std::move(next.job);
    effects = std::move(next.effects);
    return *this;
  }
  template <class E>
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        effects, [](const auto& effect) { return std::holds_alternative<E>(effect); }));
  }
  /// Up to a state on the straight way.
  Driver& to(model::JobState state) {
    using model::JobState;
    *this << event::Submitted{};
    if (state == JobState::submitted) return *this;
    *this << event::Planned{two_devices()};
    if (state == JobState::planned) return *this;
    *this << event::DeviceReserved{kDeviceA, job.epoch} << event::DeviceReserved{kDeviceB, job.epoch};
    if (state == JobState::reserved) return *this;
    *this << event::RunnerReady{kNodeA, job.epoch, "a:1", {}} << event::RunnerReady{kNodeB, job.epoch, "b:1", {}};
    if (state == JobState::starting) return *this;
    return *this << event::StepReported{kNodeA, job.epoch, row(1), {{kDeviceA, 2_MiB}}};
  }
};

}  // namespace frenzy::lifecycle
