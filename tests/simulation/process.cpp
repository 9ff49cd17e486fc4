#include "process.hpp"

#include <caf/send.hpp>

#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/simulated_crypto.hpp"

namespace frenzy::simulation {

transport::SessionOptions session_options(std::uint64_t host, transport::Role role, const Uuid& uuid) {
  transport::SessionOptions out;
  out.role = role;
  out.uuid = uuid;
  out.admission_key.fill(7);
  out.identity = transport::make_simulated_crypto(host)->key_pair();
  return out;
}

Process::Process(transport::SimulatedNetwork& network, const ProcessSpec& spec, Log& log, Defect& defect,
                 transport::SessionEvents* client)
    : process_(network.add(spec.name)), crypto_(transport::make_simulated_crypto(spec.seed)),
      env_{&process_.tasks(), &log}, bridge_(env_), system_(config_),
      scheduler_(&dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())) {
  const auto options = session_options(spec.host, spec.role, spec.uuid);
  admission_ = std::make_unique<transport::ClusterAdmission>(*crypto_, options.admission_key);
  transport::SessionEvents& events = client != nullptr ? *client : static_cast<transport::SessionEvents&>(bridge_);
  auto session = transport::make_session(options, {process_.carrier(), process_.tasks(), *crypto_, log, *admission_, events});
  session_ = client != nullptr ? std::move(*session) : defect.wrap(std::move(*session), spec.role);
  address_ = session_->listen(spec.name + ":1").value();
  if (client != nullptr) return;
  gateway_ = actors::spawn_gateway(system_, env_, *session_);
  bridge_.attach(*session_, gateway_);
}

Process::~Process() {
  if (root_) caf::anon_send_exit(root_, caf::exit_reason::user_shutdown);
  if (gateway_) caf::anon_send_exit(gateway_, caf::exit_reason::user_shutdown);
  root_ = gateway_ = nullptr;
  bridge_.detach();
  scheduler_->run();
  session_.reset();
}

}  // namespace frenzy::simulation
