#pragma once
// ChildRunnerHost: each runner is a child process of the node ("frenzy-node --runner"), commanded over
// a socketpair. Killing it frees everything it had. Connections of its peers enter by the node's gate
// and are passed on to it (Handover).
// PR_SET_PDEATHSIG is of the thread that forked, so runners are started on the loop, which lives as long
// as the process.

#include <map>

#include "frenzy/base/log.hpp"
#include "frenzy/child_runner/child_process.hpp"
#include "frenzy/child_runner/framed_pipe.hpp"
#include "frenzy/runner_host/runner_host.hpp"
#include "frenzy/transport/make_session.hpp"

namespace frenzy::child_runner {

/// Thread: the loop.
class ChildRunnerHost final : public runner_host::RunnerHost, public transport::Handover {
 public:
  /// `program` is the frenzy-node binary. Loop and log outlive it.
  ChildRunnerHost(transport::EventLoop& loop, Log& log, std::string program)
      : loop_(loop), log_(log), program_(std::move(program)) {}

  /// What the program is started with; before the loop runs.
  void set_arguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }

  void start(const codec::LaunchRunner& task, runner_host::RunnerSink sink) override;
  void send(const runner_host::RunnerKey& runner, const codec::Message& message) override;
  void kill(const runner_host::RunnerKey& runner) override;
  void calibrate(const std::vector<model::DeviceSpec>& devices,
                 std::function<void(Result<codec::CalibrationReport>)> done) override;

  [[nodiscard]] bool knows(const Uuid& target) const override;
  void take(const Uuid& target, int socket, std::vector<std::byte> first) override;

 private:
  struct Child {
    std::shared_ptr<ChildProcess> process;
    std::unique_ptr<FramedPipe> pipe;
    runner_host::RunnerSink sink;
    Uuid uuid;                                ///< of its session, once it is ready
    std::optional<codec::RunnerEnded> ended;  ///< what it said itself
  };
  struct Probe {
    std::shared_ptr<ChildProcess> process;
    std::unique_ptr<FramedPipe> pipe;
    std::function<void(Result<codec::CalibrationReport>)> done;
  };

  void said(const runner_host::RunnerKey& key, codec::Message message);
  void closed(const runner_host::RunnerKey& key, const Error& why);
  void probe_ended(std::uint64_t number, Result<codec::CalibrationReport> report);

  transport::EventLoop& loop_;
  Log& log_;
  std::string program_;
  std::vector<std::string> arguments_{"--runner"};
  std::map<runner_host::RunnerKey, Child> children_;
  std::map<std::uint64_t, Probe> probes_;
  std::uint64_t next_probe_ = 1;
};

}  // namespace frenzy::child_runner
