// Membership, planning on it, and the way from jobs to nodes.
#include <algorithm>

#include "coordinator_actor.hpp"
#include "frenzy/base/text.hpp"

namespace frenzy::actors {

namespace event = lifecycle::event;
namespace effect = lifecycle::effect;

namespace {

/// The same devices without what jobs hold now.
model::ClusterSpec emptied(model::ClusterSpec cluster) {
  for (auto& node : cluster.nodes) {
    for (auto& device : node.devices) device.free = device.memory;
  }
  return cluster;
}

/// Fits now, would fit an empty cluster, or never will.
lifecycle::JobEvent decide(const PlanJob& plan, const model::JobSpec& spec, Epoch epoch, const lifecycle::Membership& members) {
  const auto cluster = members.cluster();
  const auto joining = std::ranges::any_of(members.nodes, [](const auto& item) {
    return item.second.status.state == model::NodeState::joining;
  });
  if (cluster.nodes.empty()) {
    return event::MustWait{joining ? "the first node's devices are being measured" : "no node is connected"};
  }
  const auto calibration = members.calibration();
  auto now = plan(spec, cluster, calibration, epoch);
  if (now) return event::Planned{std::move(*now)};
  if (now.error().code != Errc::does_not_fit && now.error().code != Errc::not_found) {
    return event::DoesNotFit{now.error()};
  }
  if (joining) return event::MustWait{format("a node is joining; without it: {}", now.error())};
  const auto empty = plan(spec, emptied(cluster), calibration, epoch);
  if (!empty) return event::DoesNotFit{empty.error()};
  return event::MustWait{format("waits for memory that other jobs hold: {}", now.error())};
}

}  // namespace

caf::response_promise CoordinatorActor::plan(const WantPlan& m) {
  auto promise = make_response_promise();
  work<PlanAnswer>(
      planner_, [plan = parts_.plan, m, members = membership_] { return PlanAnswer(decide(plan, m.spec, m.epoch, members)); },
      [promise](const PlanAnswer& answer) mutable { promise.deliver(msg(answer)); });
  return promise;
}

codec::ConnectRunners CoordinatorActor::with_identities(codec::ConnectRunners connect) const {
  for (auto& peer : connect.peers) {
    const auto known = membership_.nodes.find(peer.node);
    if (known != membership_.nodes.end()) peer.identity = known->second.status.identity;
  }
  return connect;
}

caf::response_promise CoordinatorActor::to_node(const ToNode& m) {
  auto promise = make_response_promise();
  const auto found = membership_.nodes.find(m.node);
  if (found == membership_.nodes.end() || found->second.link == 0) {
    promise.deliver(msg(Answer(error(Errc::unreachable, "node {} is not connected", m.node))));
    return promise;
  }
  const transport::PeerId peer{found->second.link};
  if (const auto* connect = std::get_if<codec::ConnectRunners>(&m.message)) {
    send_to(parts_.gateway, Tell{peer, with_identities(*connect)});
    promise.deliver(msg(Answer(codec::Message(codec::Accepted{}))));
    return promise;
  }
  if (m.timeout.count() == 0) {
    send_to(parts_.gateway, Tell{peer, m.message});
    promise.deliver(msg(Answer(codec::Message(codec::Accepted{}))));
    return promise;
  }
  ask<Answer>(parts_.gateway, Ask{peer, m.message, m.timeout},
              [promise](const Answer& answer) mutable { promise.deliver(msg(answer)); });
  return promise;
}

void CoordinatorActor::incoming(const Incoming& m) {
  using transport::Role;
  if (m.peer.role == Role::node) return node_message(m);
  if (m.peer.role == Role::client) return client_message(m);
  refuse(m, error(Errc::refused, "a coordinator takes no {}", std::string_view(codec::name_of(m.message))));
}

void CoordinatorActor::node_message(const Incoming& m) {
  const auto link = m.peer.peer.value;
  if (const auto* hello = std::get_if<codec::Hello>(&m.message)) {
    if (hello->node.id.uuid != m.peer.uuid) {
      return refuse(m, error(Errc::refused, "the node calls itself {}, its connection belongs to {}", hello->node.id, m.peer.uuid));
    }
    hellos_[m.peer.peer] = m;
    std::vector<lifecycle::Held> held;
    for (const auto& h : hello->holdings) held.push_back({h.job, h.epoch, h.device, h.bytes});
    return membership(event::NodeHello{link, hello->node, std::move(held), hex(m.peer.public_key)});
  }
  membership(event::NodeHeard{link});
  if (const auto* report = std::get_if<codec::CalibrationReport>(&m.message)) {
    event::Calibrated calibrated{link, {}};
    for (const auto& device : report->devices) calibrated.costs.emplace_back(device.device, device.cost);
    return membership(calibrated);
  }
  if (const auto* beat = std::get_if<codec::Heartbeat>(&m.message)) return heartbeat(m, *beat);
  if (const auto* bye = std::get_if<codec::Goodbye>(&m.message)) return membership(event::NodeGoodbye{link, bye->reason});
  if (const auto* chunk = std::get_if<codec::GetChunk>(&m.message)) return on(m, *chunk);
  if (const auto* pieces = std::get_if<codec::OfferChunks>(&m.message)) return unnamed_pieces(m, *pieces);
  std::visit(
      [&]<class T>(const T& message) {
        if constexpr (requires { message.job; message.epoch; }) {
          forward(m, message.job);
        } else {
          refuse(m, error(Errc::unsupported, "a coordinator takes no {} from a node", std::string_view(T::kName)));
        }
      },
      m.message);
}

void CoordinatorActor::forward(const Incoming& m, JobId job) {
  const auto* node = membership_.by_link(m.peer.peer.value);
  const auto known = jobs_.find(job);
  if (node == nullptr || known == jobs_.end() || !known->second.actor) return;
  send_to(known->second.actor, NodeSaid{node->status.node.id, m.message});
}

void CoordinatorActor::heartbeat(const Incoming& m, const codec::Heartbeat& beat) {
  const auto* node = membership_.by_link(m.peer.peer.value);
  if (node == nullptr) return;
  const auto id = node->status.node.id;
  bool freed = false;
  for (const auto& device : beat.devices) {
    for (const auto& known : node->status.node.devices) {
      freed = freed || (known.id == device.device && device.free > known.free);
    }
    membership(event::NodeHolds{id, device.device, device.free});
  }
  auto& jobs = membership_.nodes.at(id).status.jobs;
  jobs.clear();
  for (const auto& runner : beat.runners) {
    const auto known = jobs_.find(runner.job);
    jobs.push_back(known == jobs_.end() ? format("{}", runner.job) : known->second.summary.name);
    if (runner.age > Seconds{lifecycle::kInstructionLimit}) {
      const auto stuck = format("instruction {} of step {} runs for {}", runner.instruction, runner.step.value + 1, runner.age);
      if (known != jobs_.end() && known->second.actor) send_to(known->second.actor, JobInput{event::RunnerStuck{id, runner.epoch, stuck}});
    }
  }
  if (freed) each_live_job(event::ClusterChanged{});
}

void CoordinatorActor::membership(const lifecycle::MembershipEvent& happened) {
  auto next = lifecycle::step(std::move(membership_), happened, {env().now(), env().wall()});
  membership_ = std::move(next.membership);
  for (const auto& e : next.effects) std::visit([this](const auto& one) { perform(one); }, e);
}

void CoordinatorActor::perform(const effect::WelcomeNode& e) {
  const auto hello = hellos_.extract(transport::PeerId{e.link});
  if (hello.empty()) return;
  reply(hello.mapped(), codec::Welcome{parts_.store->incarnation(), parts_.version, lifecycle::kHeartbeat});
}

void CoordinatorActor::perform(const effect::RefuseNode& e) {
  const auto hello = hellos_.extract(transport::PeerId{e.link});
  log().warn("node.refused", "{}", e.why);
  if (!hello.empty()) refuse(hello.mapped(), e.why);
}

void CoordinatorActor::perform(const effect::DropLink& e) {
  send_to(parts_.gateway, Disconnect{transport::PeerId{e.link}, e.why});
}

void CoordinatorActor::perform(const effect::NodeHealthy&) { each_live_job(event::ClusterChanged{}); }

void CoordinatorActor::perform(const effect::NodeIsGone& e) { each_live_job(event::NodeLost{e.node, e.why}); }

void CoordinatorActor::perform(const effect::CheckHolding& e) {
  // Losing its connection ended every job the node had a part in, so nothing it still holds is wanted.
  const auto reason = format("job {} ended while its node was away", e.held.job);
  send_to(self(), ToNode{e.node, codec::AbortJob{e.held.job, e.held.epoch, reason}, {}});
}

void CoordinatorActor::perform(const effect::RecordNode& e) {
  const auto& status = membership_.nodes.at(e.node).status;
  log().info("node.state", "node={} name={} state={} {}", e.node, status.node.name, model::name_of(status.state), status.reason);
  work<Status>(storage_, [store = parts_.store, status] { return store->record_node(status); },
               [this](const Status& written) {
                 if (!written) log().error("node.store", "{}", written.error());
               });
}

void CoordinatorActor::tick() {
  membership(event::Tick{});
  if (++ticks_ % 2 == 0) {
    work<Status>(storage_, [store = parts_.store] { return store->flush(); }, [this](const Status& status) {
      if (!status) log().error("steps.store", "{}", status.error());
    });
  }
  remind(lifecycle::kHeartbeat, Tick{});
}

}  // namespace frenzy::actors
