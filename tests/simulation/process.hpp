#pragma once
// One simulated process with an actor system and a session of its own: coordinator, node or client.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "defect.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/transport/admission.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/simulated_network.hpp"

namespace frenzy::simulation {

/// Of a process on host number `host`: all processes of a host show one identity.
[[nodiscard]] transport::SessionOptions session_options(std::uint64_t host, transport::Role role, const Uuid& uuid);

struct ActorConfig : caf::actor_system_config {
  ActorConfig() { set("scheduler.policy", caf::atom("testing")); }
};

struct ProcessSpec {
  std::string name;
  transport::Role role = transport::Role::client;
  Uuid uuid{};
  std::uint64_t host = 0, seed = 0;
};

class Process {
 public:
  /// `client`: events go there instead of to a gateway.
  Process(transport::SimulatedNetwork& network, const ProcessSpec& spec, Log& log, Defect& defect,
          transport::SessionEvents* client);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process(Process&&) = delete;
  Process& operator=(Process&&) = delete;

  /// Runs every actor that has a message; false if none had.
  bool run_actors() { return scheduler_->run() > 0; }
  [[nodiscard]] transport::Session& session() { return *session_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] Tasks& tasks() { return process_.tasks(); }
  [[nodiscard]] const actors::Environment& environment() const { return env_; }
  [[nodiscard]] caf::actor_system& system() { return system_; }
  [[nodiscard]] const caf::actor& gateway() const { return gateway_; }
  void set_root(caf::actor root) { root_ = std::move(root); }
  [[nodiscard]] const caf::actor& root() const { return root_; }

 private:
  transport::SimulatedProcess& process_;
  std::unique_ptr<transport::Crypto> crypto_;
  std::unique_ptr<transport::ClusterAdmission> admission_;
  actors::Environment env_;
  actors::SessionBridge bridge_;
  std::unique_ptr<transport::Session> session_;
  std::string address_;
  ActorConfig config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator* scheduler_ = nullptr;
  caf::actor gateway_, root_;
};

}  // namespace frenzy::simulation
