#include <map>

#include "frenzy/runner_host/runner_host.hpp"

namespace frenzy::runner_host {
namespace {

class InProcessHost final : public RunnerHost {
 public:
  InProcessHost(Tasks& tasks, MakeRunner make, Calibration calibrate)
      : tasks_(tasks), make_(std::move(make)), calibrate_(std::move(calibrate)) {}

  void start(const codec::LaunchRunner& task, RunnerSink sink) override {
    const RunnerKey key{task.assign.job, task.assign.epoch};
    auto& entry = runners_[key];
    entry.sink = std::move(sink);
    entry.body = make_(task, [this, key](codec::Message message) { said(key, std::move(message)); });
  }

  void send(const RunnerKey& runner, const codec::Message& message) override {
    const auto found = runners_.find(runner);
    if (found != runners_.end() && found->second.body) found->second.body->message(message);
  }

  void kill(const RunnerKey& runner) override {
    const auto found = runners_.find(runner);
    if (found == runners_.end()) return;
    found->second.body.reset();
    end(runner, codec::RunnerEnded{.job = runner.job, .epoch = runner.epoch, .failed = true,
                                   .why = error(Errc::cancelled, "killed by its node")});
  }

  void calibrate(const std::vector<model::DeviceSpec>& devices,
                 std::function<void(Result<codec::CalibrationReport>)> done) override {
    auto result = std::make_shared<Result<codec::CalibrationReport>>(error(Errc::internal, "not measured"));
    tasks_.post_blocking([this, devices, result] { *result = calibrate_(devices); },
                         [result, done = std::move(done)] { done(*result); });
  }

 private:
  struct Entry {
    RunnerSink sink;
    std::unique_ptr<Runner> body;
  };

  void said(const RunnerKey& key, codec::Message message) {
    const auto found = runners_.find(key);
    if (found == runners_.end()) return;
    if (std::holds_alternative<codec::RunnerEnded>(message)) return end(key, std::move(message));
    found->second.sink(std::move(message));
  }

  /// Later, because the body may be the caller.
  void end(const RunnerKey& key, codec::Message last) {
    auto entry = runners_.extract(key);
    if (entry.empty()) return;
    tasks_.post([held = std::make_shared<Entry>(std::move(entry.mapped())), last = std::move(last)]() mutable {
      held->body.reset();
      held->sink(std::move(last));
    });
  }

  Tasks& tasks_;
  MakeRunner make_;
  Calibration calibrate_;
  std::map<RunnerKey, Entry> runners_;
};

}  // namespace

std::unique_ptr<RunnerHost> make_in_process_host(Tasks& tasks, MakeRunner make, Calibration calibrate) {
  return std::make_unique<InProcessHost>(tasks, std::move(make), std::move(calibrate));
}

}  // namespace frenzy::runner_host
