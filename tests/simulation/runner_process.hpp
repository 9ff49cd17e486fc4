#pragma once
// The process of one runner: the training runner of production with a session of its own, its devices
// simulated. It speaks with its node over a pipe with a short delay, and vanishes when it is destroyed.

#include "defect.hpp"
#include "frenzy/training/training_runner.hpp"
#include "frenzy/transport/simulated_network.hpp"

namespace frenzy::simulation {

/// All outlive the runner.
struct RunnerParts {
  transport::SimulatedNetwork* network = nullptr;
  Tasks* node_tasks = nullptr;
  Log* log = nullptr;
  Defect* defect = nullptr;
  DeviceWatch* watch = nullptr;
  Files* files = nullptr;  ///< of the node
  const ContentHashing* hashing = nullptr;
  std::string name;
  std::uint64_t host = 0, seed = 0;
  std::function<void()> gone{};  ///< runs when the process has vanished
};

[[nodiscard]] std::unique_ptr<runner_host::Runner> make_runner_process(const RunnerParts& parts, codec::LaunchRunner launch,
                                                                       runner_host::RunnerSink sink);

/// Kernels and runtime of simulated devices; planner and nodes take it for the kernels alone.
[[nodiscard]] training::Backend simulated_backend(Defect& defect, const DeviceSetting& setting);

}  // namespace frenzy::simulation
