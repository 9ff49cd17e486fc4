#pragma once
// A planted defect: wrappers at the interfaces between the parts of a simulated cluster. The plain one
// wraps nothing.

#include <memory>

#include "frenzy/runner_host/runner_host.hpp"
#include "frenzy/transport/session.hpp"
#include "simulated_runtime.hpp"

namespace frenzy::simulation {

/// Thread: the simulation's one. Lives as long as the cluster.
class Defect {
 public:
  virtual ~Defect() = default;
  /// Of the coordinator and of nodes.
  virtual std::unique_ptr<transport::Session> wrap(std::unique_ptr<transport::Session> session, transport::Role) {
    return session;
  }
  /// Of a node.
  virtual std::unique_ptr<runner_host::RunnerHost> wrap(std::unique_ptr<runner_host::RunnerHost> host, Tasks&) {
    return host;
  }
  /// Of one device of a runner.
  virtual std::unique_ptr<executor::DeviceRuntime> runtime(const DeviceSetting& setting,
                                                           const executor::RuntimeParts& parts) {
    return make_simulated_runtime(setting, parts);
  }
};

}  // namespace frenzy::simulation
