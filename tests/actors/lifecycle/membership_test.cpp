#include <catch2/catch.hpp>

#include "frenzy/lifecycle/membership.hpp"
#include "job_fixture.hpp"

namespace frenzy::lifecycle {
namespace {

model::NodeSpec spec(NodeId id) {
  model::NodeSpec out{.id = id, .name = "alpha", .address = "127.0.0.1:1", .devices = {}};
  model::DeviceSpec device;
  device.id = kDeviceA;
  device.name = "cpu0";
  device.memory = device.free = 8_MiB;
  out.devices.push_back(device);
  return out;
}

struct World {
  Membership membership;
  std::vector<MembershipEffect> effects;
  std::int64_t millis = 1000;

  World() { *this << event::Tick{}; }
  World& operator<<(const MembershipEvent& event) {
    const std::chrono::milliseconds now{millis};
    auto next = step(std::move(membership), event, {TimePoint{now}, WallTime{now}});
    membership = std::move(next.membership);
    effects = std::move(next.effects);
    return *this;
  }
  World& after(std::int64_t ms) {
    millis += ms;
    return *this;
  }
  template <class E>
  [[nodiscard]] const E* find() const {
    for (const auto& effect : effects) {
      if (const auto* e = std::get_if<E>(&effect)) return e;
    }
    return nullptr;
  }
  [[nodiscard]] model::NodeState state() const { return membership.nodes.at(kNodeA).status.state; }
};

const std::vector<std::pair<DeviceId, model::DeviceCost>> kCosts{{kDeviceA, {.matrix_rate = {1e9}}}};

}  // namespace

TEST_CASE("a node is planned on once all its devices are measured", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}};
  CHECK(w.find<effect::WelcomeNode>() != nullptr);
  CHECK(w.membership.cluster().nodes.empty());
  w << event::Calibrated{1, kCosts};
  CHECK(w.find<effect::NodeHealthy>() != nullptr);
  CHECK(w.membership.cluster().nodes.size() == 1);
  CHECK(w.membership.calibration().devices.at(kDeviceA).matrix_rate == FlopsPerSecond{1e9});
}

TEST_CASE("a silent node is lost after three seconds and not before", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}} << event::Calibrated{1, kCosts};
  for (int i = 0; i < 6; ++i) w.after(500) << event::Tick{};
  CHECK(w.state() == model::NodeState::healthy);
  w.after(500) << event::Tick{};
  CHECK(w.state() == model::NodeState::lost);
  CHECK(w.find<effect::NodeIsGone>()->why == "silent for 3.50 s");
  CHECK(w.find<effect::DropLink>()->link == 1);
}

TEST_CASE("a detector that was late itself starts all deadlines anew", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}};
  w.after(10'000) << event::Tick{};
  CHECK(w.state() == model::NodeState::joining);
  CHECK(w.effects.empty());
}

TEST_CASE("a node that says hello again replaces its old connection and its jobs are told", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}} << event::Calibrated{1, kCosts};
  w << event::NodeHello{2, spec(kNodeA), {{numbered<JobId>(3), {1}, kDeviceA, 1_MiB}}};
  CHECK(w.find<effect::DropLink>()->link == 1);
  CHECK(w.find<effect::NodeIsGone>() != nullptr);
  CHECK(w.find<effect::CheckHolding>()->held.job == numbered<JobId>(3));
  CHECK(w.state() == model::NodeState::joining);
  w << event::LinkLost{1, "closed"};
  CHECK(w.effects.empty());
}

TEST_CASE("a lost link and a goodbye lose the node with the reason", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}} << event::LinkLost{1, "reset"};
  CHECK(w.find<effect::NodeIsGone>()->why == "reset");
  w << event::NodeHello{2, spec(kNodeA), {}} << event::NodeGoodbye{2, "SIGTERM"};
  CHECK(w.find<effect::NodeIsGone>()->why == "it left: SIGTERM");
}

TEST_CASE("a hello without devices, ids or with a device twice is refused", "[lifecycle]") {
  World w;
  auto empty = spec(kNodeA);
  empty.devices.clear();
  auto twice = spec(kNodeA);
  twice.devices.push_back(twice.devices[0]);
  for (const auto& node : {empty, twice, spec(NodeId{})}) {
    w << event::NodeHello{1, node, {}};
    CHECK(w.find<effect::RefuseNode>() != nullptr);
    CHECK(w.membership.nodes.empty());
  }
}

TEST_CASE("a node's first hello registers its identity; another one under its id is refused", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}, "aa"};
  CHECK(w.membership.nodes.at(kNodeA).status.identity == "aa");
  w << event::LinkLost{1, "reset"};
  w << event::NodeHello{2, spec(kNodeA), {}, "bb"};
  REQUIRE(w.find<effect::RefuseNode>() != nullptr);
  CHECK(w.find<effect::RefuseNode>()->why.code == Errc::refused);
  CHECK(w.state() == model::NodeState::lost);
  w << event::NodeHello{3, spec(kNodeA), {}, "aa"};
  CHECK(w.find<effect::WelcomeNode>() != nullptr);
}

TEST_CASE("an intruder with a node's id does not end the node's connection", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}, "aa"};
  w << event::NodeHello{2, spec(kNodeA), {}, "bb"};
  CHECK(w.find<effect::RefuseNode>() != nullptr);
  CHECK(w.find<effect::DropLink>() == nullptr);
  CHECK(w.membership.nodes.at(kNodeA).link == 1);
}

TEST_CASE("one identity stands for one node", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}, "aa"};
  auto other = spec(kNodeB);
  w << event::NodeHello{2, other, {}, "aa"};
  CHECK(w.find<effect::RefuseNode>() != nullptr);
}

TEST_CASE("a removed node fails its jobs, is not planned on, and stays out under its identity", "[lifecycle]") {
  World w;
  w << event::NodeHello{1, spec(kNodeA), {}, "aa"} << event::Calibrated{1, kCosts};
  w << event::NodeRemoved{kNodeA, "user admin"};
  CHECK(w.find<effect::NodeIsGone>() != nullptr);
  CHECK(w.find<effect::DropLink>() != nullptr);
  CHECK(w.membership.cluster().nodes.empty());
  w << event::NodeHello{2, spec(kNodeA), {}, "aa"};
  CHECK(w.find<effect::RefuseNode>() != nullptr);
  w << event::NodeHello{3, spec(kNodeB), {}, "aa"};
  CHECK(w.find<effect::RefuseNode>() != nullptr);
  w << event::NodeHello{4, spec(kNodeA), {}, "cc"};
  CHECK(w.find<effect::WelcomeNode>() != nullptr);
}

TEST_CASE("what the store remembers of nodes keeps them registered and removed", "[lifecycle]") {
  model::NodeStatus status{.node = spec(kNodeA), .state = model::NodeState::healthy, .identity = "aa"};
  World w;
  w.membership.nodes[kNodeA] = remembered(status);
  CHECK(w.state() == model::NodeState::lost);
  w << event::NodeHello{1, spec(kNodeA), {}, "bb"};
  CHECK(w.find<effect::RefuseNode>() != nullptr);
  status.state = model::NodeState::removed;
  w.membership.nodes[kNodeA] = remembered(status);
  CHECK(w.state() == model::NodeState::removed);
}

}  // namespace frenzy::lifecycle
