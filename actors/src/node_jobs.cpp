// A job's part on this node: reserve, admit, start, command, abort.
#include <algorithm>

#include "node_actor.hpp"

namespace frenzy::actors {

void NodeActor::reply(const Incoming& m, codec::Message message) {
  send_to(parts_.gateway, Reply{m.peer.peer, m.correlation, std::move(message)});
}

void NodeActor::incoming(const Incoming& m) {
  if (m.peer.role != transport::Role::coordinator || m.peer.peer != coordinator_) {
    return refuse(m, error(Errc::refused, "a node takes commands from its coordinator alone"));
  }
  std::visit(
      [&]<class T>(const T& request) {
        if constexpr (requires { on(m, request); }) {
          on(m, request);
        } else {
          refuse(m, error(Errc::unsupported, "a node takes no {}", std::string_view(T::kName)));
        }
      },
      m.message);
}

Status NodeActor::check(Incarnation incarnation) const {
  if (incarnation == incarnation_) return {};
  return error(Errc::conflict, "the message is of incarnation {}, this node was welcomed by {}", incarnation, incarnation_);
}

void NodeActor::on(const Incoming& m, const codec::Reserve& request) {
  const auto device = devices_.find(request.device);
  if (device == devices_.end()) {
    return refuse(m, error(Errc::not_found, "{} has no device {}", parts_.node.name, request.device));
  }
  if (const auto status = check(request.incarnation); !status) return refuse(m, status.error());
  ask<ReserveAnswer>(device->second, ReserveBytes{request.job, request.epoch, request.bytes, request.time_to_live},
                     [this, m, request](const ReserveAnswer& free) {
                       if (!free) return refuse(m, free.error());
                       reply(m, codec::Reserved{request.job, request.epoch, request.device, *free});
                     });
}

void NodeActor::release(const Key& key) {
  for (const auto& [id, device] : devices_) send_to(device, ReleaseBytes{key.job, key.epoch});
}

void NodeActor::on(const Incoming& m, const codec::Release& request) {
  abort({request.job, request.epoch});
  reply(m, codec::Accepted{});
}

std::vector<DeviceId> NodeActor::own_devices(const codec::AssignPlan& assign) const {
  std::vector<DeviceId> out;
  for (const auto& device : assign.devices) {
    if (devices_.contains(device.device)) out.push_back(device.device);
  }
  return out;
}

void NodeActor::on(const Incoming& m, const codec::AssignPlan& request) {
  if (const auto status = check(request.incarnation); !status) return refuse(m, status.error());
  const Key key{request.job, request.epoch};
  if (jobs_.contains(key)) return reply(m, codec::Accepted{});  // told twice
  const auto own = own_devices(request);
  if (own.empty()) return refuse(m, error(Errc::invalid_argument, "{} has no device in the plan", parts_.node.name));
  auto& part = jobs_[key];
  part.task = {.assign = request, .node = parts_.node, .chunks_directory = parts_.content->directory(),
               .saves_directory = parts_.saves->directory(), .key_file = parts_.key_file};
  std::erase_if(part.task.node.devices, [&](const auto& device) { return std::ranges::find(own, device.id) == own.end(); });
  const auto admit = [request](DeviceId id) {
    const auto expected = std::ranges::find(request.devices, id, &codec::DeviceProgram::device);
    return AdmitProgram{request.job, request.epoch, request.plan, *expected};
  };
  ask_all(own, admit, [this, m, request](const Status& status) { admitted(m, request, status); });
}

void NodeActor::admitted(const Incoming& m, const codec::AssignPlan& assign, const Status& status) {
  const Key key{assign.job, assign.epoch};
  if (!jobs_.contains(key)) return refuse(m, error(Errc::cancelled, "the job was aborted meanwhile"));
  if (!status) {
    jobs_.erase(key);
    release(key);
    return refuse(m, status.error());
  }
  reply(m, codec::Accepted{});
  fetch_data(key);
}

void NodeActor::start_runner(const Key& key) {
  auto& part = jobs_.at(key);
  part.runner_started = true;
  on_loop([runners = parts_.runners, task = part.task, key, to = self()] {
    runners->start(task, [to, key](codec::Message message) { caf::anon_send(to, msg(RunnerSaid{key, std::move(message)})); });
  });
}

void NodeActor::on(const Incoming& m, const codec::StartJob& request) {
  const Key key{request.job, request.epoch};
  const auto found = jobs_.find(key);
  if (const auto status = check(request.incarnation); !status) return refuse(m, status.error());
  if (found == jobs_.end()) return refuse(m, error(Errc::not_found, "{} has no runner of job {}", parts_.node.name, request.job));
  const auto firm = [request](DeviceId) { return MakeFirm{request.job, request.epoch}; };
  ask_all(own_devices(found->second.task.assign), firm, [this, m, key, request](const Status& status) {
    if (!status) return refuse(m, status.error());
    on_loop([runners = parts_.runners, key, request] { runners->send(key, request); });
    reply(m, codec::Accepted{});
  });
}

void NodeActor::pass(const Incoming& m, const Key& key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end() || !found->second.runner_started) {
    return refuse(m, error(Errc::not_found, "{} has no runner of job {}", parts_.node.name, key.job));
  }
  on_loop([runners = parts_.runners, key, message = m.message] { runners->send(key, message); });
  reply(m, codec::Accepted{});
}

void NodeActor::on(const Incoming& m, const codec::AbortJob& request) {
  log().info("job.abort", "job={} epoch={} {}", request.job, request.epoch, request.reason);
  abort({request.job, request.epoch});
  reply(m, codec::Accepted{});
}

void NodeActor::abort(const Key& key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) return release(key);
  if (found->second.ending) return;
  if (!found->second.runner_started) {
    jobs_.erase(found);
    return release(key);
  }
  found->second.ending = true;
  on_loop([runners = parts_.runners, key] { runners->kill(key); });
}

void NodeActor::runner_said(const Key& key, const codec::Message& message) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) return;
  found->second.heard = env().now();
  if (const auto* ended = std::get_if<codec::RunnerEnded>(&message)) return runner_ended(key, *ended);
  if (const auto* beat = std::get_if<codec::Heartbeat>(&message)) {
    if (!beat->runners.empty()) found->second.pulse = beat->runners.front();
    return;
  }
  if (found->second.ending) return;
  if (const auto* report = std::get_if<codec::StepReport>(&message)) found->second.pulse.step = report->step;
  if (const auto* state = std::get_if<codec::StateSaved>(&message)) saved(key, *state);
  tell(message);
}

void NodeActor::runner_ended(const Key& key, codec::RunnerEnded ended) {
  if (const auto& part = jobs_.at(key); part.killed) {
    ended.failed = true;
    ended.step = part.pulse.step;
    ended.why = *part.killed;
  }
  jobs_.erase(key);
  release(key);
  ended.job = key.job;
  ended.epoch = key.epoch;
  tell(std::move(ended));
  send_beat();
  sweep();
}

void NodeActor::fail_part(const Key& key, const Error& why) {
  if (jobs_.erase(key) == 0) return;
  release(key);
  tell(codec::RunnerEnded{.job = key.job, .epoch = key.epoch, .failed = true, .why = why});
}

}  // namespace frenzy::actors
