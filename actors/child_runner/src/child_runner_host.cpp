#include "frenzy/child_runner/child_runner_host.hpp"

#include "frenzy/transport/pass_socket.hpp"

namespace frenzy::child_runner {

using runner_host::RunnerKey;

void ChildRunnerHost::start(const codec::LaunchRunner& task, runner_host::RunnerSink sink) {
  const RunnerKey key{task.assign.job, task.assign.epoch};
  auto process = ChildProcess::start(program_, arguments_);
  if (!process) {
    loop_.post([sink = std::move(sink), why = process.error()] { sink(codec::RunnerEnded{.failed = true, .why = why}); });
    return;
  }
  auto& child = children_[key];
  child.process = std::move(*process);
  child.sink = std::move(sink);
  child.pipe = std::make_unique<FramedPipe>(
      loop_, child.process->take_control(), [this, key](codec::Message message) { said(key, std::move(message)); },
      [this, key](const Error& why) { closed(key, why); });
  if (auto sent = child.pipe->send(task); !sent) {
    child.ended = codec::RunnerEnded{.failed = true, .why = sent.error()};
    child.process->kill();
  }
}

void ChildRunnerHost::send(const RunnerKey& runner, const codec::Message& message) {
  const auto found = children_.find(runner);
  if (found == children_.end()) return;
  if (const auto sent = found->second.pipe->send(message); !sent) {
    log_.debug("runner.send", "job={} {}", runner.job, sent.error());
  }
}

void ChildRunnerHost::kill(const RunnerKey& runner) {
  const auto found = children_.find(runner);
  if (found != children_.end()) found->second.process->kill();  // its pipe tells of the end
}

void ChildRunnerHost::said(const RunnerKey& key, codec::Message message) {
  const auto found = children_.find(key);
  if (found == children_.end()) return;
  if (const auto* ready = std::get_if<codec::RunnerReady>(&message)) found->second.uuid = ready->runner;
  if (const auto* ended = std::get_if<codec::RunnerEnded>(&message)) {
    // Told when the process is gone: only then are its bytes free.
    found->second.ended = *ended;
    return;
  }
  found->second.sink(std::move(message));
}

void ChildRunnerHost::closed(const RunnerKey& key, const Error&) {
  auto gone = children_.extract(key);
  if (gone.empty()) return;
  auto child = std::make_shared<Child>(std::move(gone.mapped()));
  loop_.post_blocking(
      [child] {
        child->process->kill();
        const auto how = child->process->wait();
        if (child->ended) return;
        child->ended = codec::RunnerEnded{.failed = true, .why = error(Errc::internal, "its process ended with {}", how)};
      },
      [child] { child->sink(*child->ended); });
}

void ChildRunnerHost::calibrate(const std::vector<model::DeviceSpec>& devices,
                                std::function<void(Result<codec::CalibrationReport>)> done) {
  auto process = ChildProcess::start(program_, arguments_);
  if (!process) {
    loop_.post([done = std::move(done), why = process.error()] { done(why); });
    return;
  }
  const auto number = next_probe_++;
  auto& probe = probes_[number];
  probe.process = std::move(*process);
  probe.done = std::move(done);
  probe.pipe = std::make_unique<FramedPipe>(
      loop_, probe.process->take_control(),
      [this, number](codec::Message message) {
        if (auto* report = std::get_if<codec::CalibrationReport>(&message)) return probe_ended(number, std::move(*report));
        if (auto* refused = std::get_if<codec::Refused>(&message)) return probe_ended(number, refused->why);
      },
      [this, number](const Error& why) { probe_ended(number, at("measuring devices", why)); });
  if (auto sent = probe.pipe->send(codec::Calibrate{devices}); !sent) probe_ended(number, sent.error());
}

void ChildRunnerHost::probe_ended(std::uint64_t number, Result<codec::CalibrationReport> report) {
  auto gone = probes_.extract(number);
  if (gone.empty()) return;
  auto probe = std::make_shared<Probe>(std::move(gone.mapped()));
  loop_.post_blocking([process = probe->process] { process->kill(); static_cast<void>(process->wait()); },
                      [probe, report = std::move(report)] { probe->done(report); });
}

bool ChildRunnerHost::knows(const Uuid& target) const {
  for (const auto& [key, child] : children_) {
    if (child.uuid == target) return true;
  }
  return false;
}

void ChildRunnerHost::take(const Uuid& target, int socket, std::vector<std::byte> first) {
  transport::PassedSocket passed{transport::UniqueFd(socket), std::move(first)};
  for (const auto& [key, child] : children_) {
    if (child.uuid != target) continue;
    if (const auto status = transport::pass_socket(child.process->passed(), std::move(passed)); !status) {
      log_.warn("runner.pass", "job={} {}", key.job, status.error());
    }
    return;
  }
}

}  // namespace frenzy::child_runner
