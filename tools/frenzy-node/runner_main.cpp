#include <sys/epoll.h>
#include <unistd.h>

#include <cstdio>

#include "frenzy/base/rng.hpp"
#include "frenzy/child_runner/child_process.hpp"
#include "frenzy/child_runner/framed_pipe.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/logging/logging.hpp"
#include "frenzy/tools/network.hpp"
#include "frenzy/training/training_runner.hpp"
#include "frenzy/transport/pass_socket.hpp"
#include "mains.hpp"

namespace frenzy::tools {
namespace {

/// Everything of one runner process, on its loop.
class RunnerProcess {
 public:
  RunnerProcess(Network& network, const Clock& clock, std::vector<training::InjectedFault> faults)
      : network_(network), clock_(clock), faults_(std::move(faults)) {}

  void begin() {
    pipe_ = std::make_unique<child_runner::FramedPipe>(
        network_.loop(), transport::UniqueFd(child_runner::kControlDescriptor),
        [this](codec::Message message) { on_message(message); }, [this](const Error&) { network_.loop().stop(); });
    const auto watched = network_.loop().watch(child_runner::kPassedDescriptor, EPOLLIN, [this](std::uint32_t) { adopt(); });
    if (!watched) network_.loop().stop();
  }


 private:
  void on_message(const codec::Message& message) {
    if (const auto* launch = std::get_if<codec::LaunchRunner>(&message)) return this->launch(*launch);
    if (const auto* calibrate = std::get_if<codec::Calibrate>(&message)) return measure(*calibrate);
    if (runner_) runner_->message(message);
  }

  void launch(const codec::LaunchRunner& launch) {
    const auto keys = crypto::load_keys(files_, launch.key_file);
    if (!keys) return end(keys.error());
    admission_ = std::make_unique<transport::ClusterAdmission>(network_.crypto(), keys->admission,
                                                               std::vector{transport::Role::runner});
    Rng rng(seed_from_system());
    const auto uuid = Uuid::random(rng);
    auto opened = network_.open({.role = transport::Role::runner, .uuid = uuid, .keys = *keys}, *admission_, peers_);
    if (!opened) return end(opened.error());
    training::TrainingParts parts{.tasks = &network_.loop(), .session = &network_.session(), .peers = &peers_,
                                  .files = &files_, .hashing = hashing_.get(), .uuid = uuid, .faults = faults_};
    runner_ = training::make_training_runner(parts, launch, [this](codec::Message said) { say(said); });
  }

  void measure(const codec::Calibrate& request) {
    const auto report = training::measure_devices(clock_, request.devices);
    if (report) {
      say(*report);
    } else {
      say(codec::Refused{report.error()});
    }
  }

  void end(const Error& why) { say(codec::RunnerEnded{.failed = true, .why = why}); }

  void say(const codec::Message& message) {
    if (const auto sent = pipe_->send(message); !sent) {
      if (!std::holds_alternative<codec::RunnerEnded>(message)) end(sent.error());
    }
    if (std::holds_alternative<codec::RunnerEnded>(message)) leave();
  }

  /// Ends the process once its last words have left. No destructor runs: steps may still be running.
  void leave() {
    if (pipe_->empty()) ::_exit(0);
    network_.loop().at(clock_.now() + std::chrono::milliseconds{5}, [this] { leave(); });
  }

  void adopt() {
    auto passed = transport::receive_socket(child_runner::kPassedDescriptor);
    if (passed) {
      static_cast<void>(network_.carrier().adopt(std::move(passed->socket), std::move(passed->first)));
    } else if (passed.error().code == Errc::unreachable) {
      network_.loop().unwatch(child_runner::kPassedDescriptor);
    }
  }

  Network& network_;
  const Clock& clock_;
  std::vector<training::InjectedFault> faults_;
  RealFiles files_;
  std::unique_ptr<ContentHashing> hashing_ = crypto::make_content_hashing();
  training::PeerBook peers_;
  std::unique_ptr<transport::ClusterAdmission> admission_;
  std::unique_ptr<child_runner::FramedPipe> pipe_;
  std::unique_ptr<runner_host::Runner> runner_;
};

}  // namespace

int runner_main(const NodeOptions& options) {
  const auto carrier = parse_carrier(options.carrier);
  auto injected = training::parse_faults(options.faults);
  if (!carrier || !injected) return 2;
  const CarrierOptions carrier_options{*carrier, options.trusted_networks, options.interface, options.data_ports};
  Network::prepare(carrier_options);
  auto log = logging::open_log({.level = LogLevel::info, .file = {}});
  const SystemClock clock;
  if (!log) return 1;
  auto network = Network::create(clock, **log, carrier_options);
  if (!network) {
    std::fprintf(stderr, "frenzy-node --runner: %s\n", network.error().what.c_str());
    return 1;
  }
  RunnerProcess process(**network, clock, std::move(*injected));
  (*network)->loop().post([&process] { process.begin(); });
  (*network)->loop().run();
  // The node is gone or has closed the pipe: nothing that still runs is wanted.
  ::_exit(0);
}

}  // namespace frenzy::tools
