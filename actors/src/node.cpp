#include "frenzy/actors/node.hpp"

#include <utility>

#include "frenzy/base/text.hpp"
#include "frenzy/lifecycle/membership.hpp"
#include "node_actor.hpp"

namespace frenzy::actors {

namespace {
constexpr auto kRetry = std::chrono::milliseconds{500};
constexpr auto kRetryRefused = std::chrono::seconds{5};  ///< a person must act first
constexpr auto kHelloTimeout = std::chrono::seconds{5};
}  // namespace

NodeActor::NodeActor(caf::actor_config& config, NodeParts parts)
    : WorkingActor(config, parts.env, "node"), parts_(std::move(parts)) {}

caf::behavior NodeActor::make_behavior() {
  storage_ = spawn_worker(system(), env(), "storage", parts_.workers);
  compiler_ = spawn_worker(system(), env(), "compiler", parts_.workers);
  for (const auto& device : parts_.node.devices) {
    devices_[device.id] = spawn_device(system(), {env(), self(), compiler_, parts_.compile, device});
    ledgers_[device.id] = {device.id, device.free, {}};
  }
  send_to(parts_.gateway, SetOwner{self()});
  calibrate();
  connect();
  remind(lifecycle::kHeartbeat, Beat{});
  return {
      [](const Msg<PeerUp>&) {},
      [this](const Msg<PeerDown>& m) {
        if (coordinator_ == m->peer.peer) lost(m->why);
      },
      [this](const Msg<Incoming>& m) { incoming(*m); },
      [this](const Msg<LedgerChanged>& m) {
        ledgers_[m->device] = *m;
        send_beat();
      },
      [this](const Msg<Measured>& m) {
        if (!m->report) return log().error("node.calibration", "{}", m->report.error());
        report_ = *m->report;
        if (welcomed_) tell(*report_);
      },
      [this](const Msg<RunnerSaid>& m) { runner_said(m->key, m->message); },
      [this](const Msg<Beat>&) { beat(); },
      [this](const Msg<TryConnect>&) { connect(); },
      [this](const Msg<LeaveCluster>& m) { leave(m->why); },
  };
}

void NodeActor::on_exit() {
  for (auto& [id, device] : devices_) send_exit(device, caf::exit_reason::user_shutdown);
  send_exit(storage_, caf::exit_reason::user_shutdown);
  send_exit(compiler_, caf::exit_reason::user_shutdown);
  devices_.clear();
  storage_ = compiler_ = parts_.gateway = nullptr;
}

void NodeActor::calibrate() {
  on_loop([runners = parts_.runners, devices = parts_.node.devices, to = self()] {
    runners->calibrate(devices, [to](Result<codec::CalibrationReport> report) {
      caf::anon_send(to, msg(Measured{std::move(report)}));
    });
  });
}

void NodeActor::connect() {
  if (leaving_) return;
  ask<Connected>(parts_.gateway, Connect{parts_.coordinator}, [this](const Connected& result) { connected(result); });
}

void NodeActor::connected(const Connected& result) {
  if (!result) return retry(result.error());
  coordinator_ = *result;
  codec::Hello hello{.role = codec::Role::node, .version = parts_.version, .node = parts_.node, .holdings = holdings()};
  ask<Answer>(parts_.gateway, Ask{*coordinator_, std::move(hello), kHelloTimeout},
              [this](const Answer& answer) { welcomed(expect<codec::Welcome>(answer)); });
}

void NodeActor::welcomed(const Result<codec::Welcome>& welcome) {
  if (!coordinator_) return;  // lost meanwhile, and told
  auto why = welcome ? Status{} : Status(welcome.error());
  if (why && welcome->incarnation < incarnation_) {
    why = error(Errc::conflict, "the coordinator has incarnation {}, this node has seen {}", welcome->incarnation, incarnation_);
  }
  if (!why) {
    send_to(parts_.gateway, Disconnect{*coordinator_, why.error().what});
    coordinator_.reset();
    return retry(why.error());
  }
  incarnation_ = welcome->incarnation;
  welcomed_ = true;
  log().info("node.joined", "coordinator={} incarnation={}", parts_.coordinator, incarnation_);
  if (report_) tell(*report_);
  send_beat();
  sweep();
}

void NodeActor::retry(const Error& why) {
  log().warn("node.unconnected", "coordinator={} {}", parts_.coordinator, why);
  remind(why.code == Errc::refused ? std::chrono::milliseconds{kRetryRefused} : kRetry, TryConnect{});
}

void NodeActor::lost(const Error& why) {
  coordinator_.reset();
  welcomed_ = false;
  std::vector<Key> keys;
  for (const auto& [key, part] : jobs_) keys.push_back(key);
  for (const auto& key : keys) abort(key);
  if (!leaving_) retry(why);
}

std::vector<codec::Holding> NodeActor::holdings() const {
  std::vector<codec::Holding> out;
  for (const auto& [device, ledger] : ledgers_) {
    for (const auto& entry : ledger.entries) {
      out.push_back({.job = entry.job, .epoch = entry.epoch, .device = device, .bytes = entry.bytes, .firm = entry.firm});
    }
  }
  return out;
}

/// A runner that is frozen says nothing, and holds its devices.
void NodeActor::watch_runners() {
  const auto now = env().now();
  const bool late = now - std::exchange(last_beat_, now) > 4 * lifecycle::kHeartbeat;
  for (auto& [key, part] : jobs_) {
    if (!part.heard || part.ending) continue;
    if (late) part.heard = now;  // it was this process that stood still
    const auto silence = now - *part.heard;
    if (silence <= lifecycle::kRunnerSilence) continue;
    std::vector<std::string> devices;
    for (const auto& device : part.task.node.devices) devices.push_back(device.name);
    part.killed = error(Errc::timed_out, "its process on {} has been silent for {}; it was at instruction {} of step {}, {} old then",
                        frenzy::join(devices, ", "), Seconds{silence}, part.pulse.instruction, part.pulse.step.value + 1, part.pulse.age);
    log().warn("runner.silent", "job={} {}", key.job, *part.killed);
    part.ending = true;
    on_loop([runners = parts_.runners, key = key] { runners->kill(key); });
  }
}

void NodeActor::beat() {
  watch_runners();
  send_beat();
  remind(lifecycle::kHeartbeat, Beat{});
}

void NodeActor::send_beat() {
  if (!welcomed_) return;
  codec::Heartbeat beat{.sequence = ++beats_};
  for (const auto& [key, part] : jobs_) {
    beat.runners.push_back({.job = key.job, .epoch = key.epoch, .step = part.pulse.step,
                            .instruction = part.pulse.instruction, .age = part.pulse.age});
  }
  for (const auto& [device, ledger] : ledgers_) beat.devices.push_back({device, ledger.free});
  tell(std::move(beat));
}

void NodeActor::leave(const std::string& why) {
  leaving_ = true;
  if (coordinator_) {
    tell(codec::Goodbye{why});
    send_to(parts_.gateway, Disconnect{*coordinator_, why});
  }
  lost(error(Errc::cancelled, "{}", why));
  quit();
}

void NodeActor::tell(codec::Message message) {
  if (coordinator_) send_to(parts_.gateway, Tell{*coordinator_, std::move(message)});
}

caf::actor spawn_node(caf::actor_system& system, NodeParts parts) {
  return system.spawn<NodeActor>(std::move(parts));
}

}  // namespace frenzy::actors
