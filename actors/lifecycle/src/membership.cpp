#include "frenzy/lifecycle/membership.hpp"

#include <algorithm>
#include <set>

namespace frenzy::lifecycle {
namespace {

using model::NodeState;

class Members {
 public:
  Members(Membership membership, Moment at) : m_(std::move(membership)), at_(at) {}
  [[nodiscard]] MembershipTransition take() { return {std::move(m_), std::move(effects_)}; }

  void on(const event::NodeHello& e) {
    if (auto status = check(e); !status) {
      effects_.emplace_back(effect::RefuseNode{e.link, status.error()});
      return;
    }
    if (const auto old = m_.nodes.find(e.node.id); old != m_.nodes.end() && old->second.link != 0) {
      effects_.emplace_back(effect::DropLink{old->second.link, "the node has said hello on a new connection"});
      lose(old->second, "it said hello again on a new connection");
    }
    auto& node = m_.nodes[e.node.id];
    node = MemberNode{.status = {.node = e.node}, .link = e.link, .heard = at_.now, .costs = {}, .held = e.held};
    node.status.identity = e.identity;
    node.status.rates.assign(e.node.devices.size(), FlopsPerSecond{});
    node.status.held.assign(e.node.devices.size(), Bytes{});
    enter(node, NodeState::joining, "its devices are being measured");
    effects_.emplace_back(effect::WelcomeNode{e.node.id, e.link});
    for (const auto& held : e.held) effects_.emplace_back(effect::CheckHolding{e.node.id, held});
  }

  void on(const event::Calibrated& e) {
    auto* node = find(e.link);
    if (node == nullptr) return;
    node->heard = at_.now;
    auto& devices = node->status.node.devices;
    for (const auto& [id, cost] : e.costs) {
      const auto device = std::ranges::find(devices, id, &model::DeviceSpec::id);
      if (device == devices.end()) continue;
      node->costs[id] = cost;
      node->status.rates[static_cast<std::size_t>(device - devices.begin())] = cost.matrix_rate;
    }
    if (node->status.state != NodeState::joining || node->costs.size() != devices.size()) return;
    enter(*node, NodeState::healthy, format("{} devices measured", devices.size()));
    effects_.emplace_back(effect::NodeHealthy{node->status.node.id});
  }

  void on(const event::NodeHeard& e) {
    if (auto* node = find(e.link)) node->heard = at_.now;
  }

  void on(const event::NodeHolds& e) {
    const auto found = m_.nodes.find(e.node);
    if (found == m_.nodes.end()) return;
    auto& status = found->second.status;
    const auto device = std::ranges::find(status.node.devices, e.device, &model::DeviceSpec::id);
    if (device == status.node.devices.end()) return;
    device->free = e.free;
    status.held[static_cast<std::size_t>(device - status.node.devices.begin())] =
        device->memory > e.free ? device->memory - e.free : Bytes{};
  }

  void on(const event::LinkLost& e) {
    if (auto* node = find(e.link)) lose(*node, e.why);
  }

  void on(const event::NodeGoodbye& e) {
    if (auto* node = find(e.link)) lose(*node, format("it left: {}", e.why));
  }

  void on(const event::NodeRemoved& e) {
    const auto found = m_.nodes.find(e.node);
    if (found == m_.nodes.end() || found->second.status.state == NodeState::removed) return;
    auto& node = found->second;
    const auto why = format("removed by {}", e.by);
    if (node.link != 0) {
      effects_.emplace_back(effect::DropLink{node.link, why});
      lose(node, why);
    }
    enter(node, NodeState::removed, why);
  }

  void on(const event::Tick&) {
    const bool late = at_.now - m_.last_tick > 4 * kHeartbeat;
    m_.last_tick = at_.now;
    for (auto& [id, node] : m_.nodes) {
      if (node.link == 0) continue;
      if (late) {
        node.heard = at_.now;
      } else if (at_.now - node.heard > kNodeSilence) {
        const auto silent = format("silent for {}", Seconds{at_.now - node.heard});
        effects_.emplace_back(effect::DropLink{node.link, silent});
        lose(node, silent);
      }
    }
  }

 private:
  [[nodiscard]] Status check(const event::NodeHello& e) const {
    if (const auto why = defect(e.node); !why.empty()) return error(Errc::invalid_argument, "{}", why);
    for (const auto& [id, known] : m_.nodes) {
      const auto& status = known.status;
      const bool same_key = status.identity == e.identity;
      if (status.state == NodeState::removed) {
        if (!same_key || e.identity.empty()) continue;
        return error(Errc::refused, "node {} was {}: its identity is not taken any more; delete node.key in its state directory "
                     "to register a new one", status.node.name, status.reason);
      }
      if (id == e.node.id && !same_key) {
        return error(Errc::refused, "node {} ({}) is registered with another identity; if the machine was set up anew, "
                     "`frenzy nodes remove {}` first", status.node.name, id, status.node.name);
      }
      if (id != e.node.id && same_key && !e.identity.empty()) {
        return error(Errc::refused, "node {} shows the identity of node {} ({})", e.node.name, status.node.name, id);
      }
    }
    return {};
  }

  [[nodiscard]] static std::string defect(const model::NodeSpec& node) {
    if (node.id.uuid.is_nil()) return "a node without an id";
    if (node.devices.empty()) return format("node {} offers no device", node.name);
    std::set<DeviceId> seen;
    for (const auto& device : node.devices) {
      if (device.id.uuid.is_nil() || !seen.insert(device.id).second) {
        return format("node {} offers device {} twice or without an id", node.name, device.name);
      }
    }
    return {};
  }

  MemberNode* find(Link link) {
    for (auto& [id, node] : m_.nodes) {
      if (node.link == link) return &node;
    }
    return nullptr;
  }

  void enter(MemberNode& node, NodeState state, std::string reason) {
    node.status.state = state;
    node.status.since = at_.wall;
    node.status.reason = std::move(reason);
    effects_.emplace_back(effect::RecordNode{node.status.node.id});
  }

  void lose(MemberNode& node, const std::string& why) {
    node.link = 0;
    enter(node, NodeState::lost, why);
    effects_.emplace_back(effect::NodeIsGone{node.status.node.id, why});
  }

  Membership m_;
  Moment at_;
  std::vector<MembershipEffect> effects_;
};

}  // namespace

model::ClusterSpec Membership::cluster() const {
  model::ClusterSpec out;
  for (const auto& [id, node] : nodes) {
    if (node.status.state == NodeState::healthy) out.nodes.push_back(node.status.node);
  }
  return out;
}

model::Calibration Membership::calibration() const {
  model::Calibration out;
  for (const auto& [id, node] : nodes) {
    if (node.status.state == NodeState::healthy) out.devices.insert(node.costs.begin(), node.costs.end());
  }
  return out;
}

const MemberNode* Membership::by_link(Link link) const {
  for (const auto& [id, node] : nodes) {
    if (node.link == link) return &node;
  }
  return nullptr;
}

MemberNode remembered(model::NodeStatus status) {
  if (status.state != NodeState::removed) {
    status.state = NodeState::lost;
    status.reason = "not seen since the coordinator was started";
  }
  status.jobs.clear();
  status.held.assign(status.node.devices.size(), Bytes{});
  return {.status = std::move(status), .link = 0, .heard = {}, .costs = {}, .held = {}};
}

MembershipTransition step(Membership membership, const MembershipEvent& event, Moment at) {
  Members members(std::move(membership), at);
  std::visit([&](const auto& e) { members.on(e); }, event);
  return members.take();
}

}  // namespace frenzy::lifecycle
