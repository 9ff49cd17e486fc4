#include "runner_process.hpp"

#include "frenzy/base/rng.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/simulated_crypto.hpp"
#include "integer_kernels.hpp"
#include "process.hpp"

namespace frenzy::simulation {
namespace {

constexpr std::chrono::microseconds kPipe{50};
constexpr Bytes kReserve = 4_MiB;  // the planner keeps it free on every device, and reserves it

Uuid uuid_from(std::uint64_t seed) {
  Rng rng(seed);
  return Uuid::random(rng);
}

class RunnerProcess final : public runner_host::Runner {
 public:
  RunnerProcess(const RunnerParts& parts, codec::LaunchRunner launch, runner_host::RunnerSink sink)
      : parts_(parts), process_(parts.network->add(parts.name)), crypto_(transport::make_simulated_crypto(parts.seed)) {
    const auto options = session_options(parts.host, transport::Role::runner, uuid_from(parts.seed));
    admission_ = std::make_unique<transport::ClusterAdmission>(*crypto_, options.admission_key);
    session_ = std::move(transport::make_session(
                             options, {process_.carrier(), process_.tasks(), *crypto_, *parts.log, *admission_, peers_}))
                   .value();
    launch.node.address = session_->listen(parts.name + ":1").value();
    DeviceSetting setting{.tasks = &process_.tasks(), .watch = parts.watch, .seed = parts.seed, .job = launch.assign.job,
                          .devices = {}, .reserve = kReserve};
    for (const auto& device : launch.assign.devices) setting.devices.push_back(device.device);
    training::TrainingParts body{.tasks = &process_.tasks(), .session = session_.get(), .peers = &peers_, .files = parts.files,
                                 .hashing = parts.hashing, .uuid = options.uuid,
                                 .backend = simulated_backend(*parts.defect, setting)};
    auto say = [node = parts.node_tasks, alive = alive_, sink = std::move(sink)](codec::Message said) {
      node->at(node->clock().now() + kPipe, [alive, sink, said = std::move(said)] {
        if (*alive) sink(said);
      });
    };
    body_ = training::make_training_runner(body, launch, std::move(say));
  }
  ~RunnerProcess() override {
    *alive_ = false;
    parts_.network->kill(parts_.name);
    body_.reset();
    session_.reset();
    parts_.gone();
  }
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  RunnerProcess(RunnerProcess&&) = delete;
  RunnerProcess& operator=(RunnerProcess&&) = delete;

  void message(const codec::Message& message) override {
    process_.tasks().at(process_.tasks().clock().now() + kPipe, [this, message] { body_->message(message); });
  }

 private:
  RunnerParts parts_;
  transport::SimulatedProcess& process_;
  std::unique_ptr<transport::Crypto> crypto_;
  std::unique_ptr<transport::ClusterAdmission> admission_;
  training::PeerBook peers_;
  std::unique_ptr<transport::Session> session_;
  std::unique_ptr<runner_host::Runner> body_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

training::Backend simulated_backend(Defect& defect, const DeviceSetting& setting) {
  training::Backend out;
  out.make_kernels = make_integer_kernels;
  out.make_runtime = [&defect, setting](const executor::RuntimeParts& parts) { return defect.runtime(setting, parts); };
  out.poison = executor::Poison::yes;
  return out;
}

std::unique_ptr<runner_host::Runner> make_runner_process(const RunnerParts& parts, codec::LaunchRunner launch,
                                                         runner_host::RunnerSink sink) {
  return std::make_unique<RunnerProcess>(parts, std::move(launch), std::move(sink));
}

}  // namespace frenzy::simulation
