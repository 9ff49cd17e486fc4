#pragma once
// Membership: which nodes there are, as a pure function of hellos, heartbeats, losses and time.
//
// A node is named by its UUID. A node that says hello again (new connection) replaces its old
// connection; what it still holds for jobs that do not expect it is released. A node that is silent
// for kNodeSilence is lost, unless the detector itself was late: then all deadlines start anew.
//
// A node's first hello registers its identity (the public key its session has proven) with its UUID. From
// then on another identity under that UUID is refused, until the node is removed; a removed identity is
// refused for good.

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::lifecycle {

inline constexpr auto kHeartbeat = std::chrono::milliseconds{500};
inline constexpr auto kNodeSilence = std::chrono::seconds{3};
/// A runner process that says nothing for this long is killed by its node.
inline constexpr auto kRunnerSilence = std::chrono::seconds{4};
/// A runner whose instruction is older than this is stuck, whatever it says itself.
inline constexpr auto kInstructionLimit = std::chrono::minutes{30};

/// The connection of a node, opaque here.
using Link = std::uint64_t;

/// What a node says it holds for a job.
struct Held {
  JobId job{};
  Epoch epoch{};
  DeviceId device{};
  Bytes bytes{};
  friend bool operator==(const Held&, const Held&) = default;
};

struct MemberNode {
  model::NodeStatus status;
  Link link = 0;  ///< 0: none
  TimePoint heard{};
  std::map<DeviceId, model::DeviceCost> costs;
  std::vector<Held> held;  ///< as of its last report
};

struct Membership {
  std::map<NodeId, MemberNode> nodes;
  TimePoint last_tick{};

  /// Nodes that can be planned on: healthy and calibrated.
  [[nodiscard]] model::ClusterSpec cluster() const;
  [[nodiscard]] model::Calibration calibration() const;
  [[nodiscard]] const MemberNode* by_link(Link link) const;
};

namespace event {
struct NodeHello { Link link; model::NodeSpec node; std::vector<Held> held; std::string identity{}; };
struct Calibrated { Link link; std::vector<std::pair<DeviceId, model::DeviceCost>> costs; };
struct NodeHeard { Link link; };
struct NodeHolds { NodeId node; DeviceId device; Bytes free; };   ///< what a device said is free
struct LinkLost { Link link; std::string why; };
struct NodeGoodbye { Link link; std::string why; };
struct NodeRemoved { NodeId node; std::string by; };  ///< a user wants it gone
struct Tick {};
}  // namespace event

using MembershipEvent = std::variant<event::NodeHello, event::Calibrated, event::NodeHeard, event::NodeHolds,
                                     event::LinkLost, event::NodeGoodbye, event::NodeRemoved, event::Tick>;

namespace effect {
struct WelcomeNode { NodeId node; Link link; };
struct RefuseNode { Link link; Error why; };
struct DropLink { Link link; std::string why; };
/// It can be planned on.
struct NodeHealthy { NodeId node; };
/// Its jobs must be told.
struct NodeIsGone { NodeId node; std::string why; };
/// It holds bytes for a job: the job's actor, if there is one, decides whether it may.
struct CheckHolding { NodeId node; Held held; };
struct RecordNode { NodeId node; };
}  // namespace effect

using MembershipEffect = std::variant<effect::WelcomeNode, effect::RefuseNode, effect::DropLink,
                                      effect::NodeHealthy, effect::NodeIsGone, effect::CheckHolding,
                                      effect::RecordNode>;

struct MembershipTransition {
  Membership membership;
  std::vector<MembershipEffect> effects;
};

/// Two readings of the same moment.
struct Moment {
  TimePoint now{};
  WallTime wall{};
};

/// As the store remembers it, at a coordinator's start: registered, or removed, and not connected.
[[nodiscard]] MemberNode remembered(model::NodeStatus status);

[[nodiscard]] MembershipTransition step(Membership membership, const MembershipEvent& event, Moment at);

}  // namespace frenzy::lifecycle
