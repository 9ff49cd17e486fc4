#pragma once
// The simulated device: the host runtime's instructions on streams of virtual time. An instruction of
// compute takes a seeded time at the device's speed; the other streams start theirs a little late, by a
// seeded delay, so that streams pass each other. No thread.

#include "device_watch.hpp"
#include "frenzy/base/tasks.hpp"
#include "frenzy/executor/device_runtime.hpp"

namespace frenzy::simulation {

/// What one runner's devices are. All outlive the runtimes.
struct DeviceSetting {
  Tasks* tasks = nullptr;  ///< of the runner's process
  DeviceWatch* watch = nullptr;
  std::uint64_t seed = 0;
  JobId job{};
  std::vector<DeviceId> devices{};  ///< of the job, by rank
  Bytes reserve{};                  ///< that a grant has beside its arena
};

[[nodiscard]] std::unique_ptr<executor::DeviceRuntime> make_simulated_runtime(const DeviceSetting& setting,
                                                                              const executor::RuntimeParts& parts);

}  // namespace frenzy::simulation
