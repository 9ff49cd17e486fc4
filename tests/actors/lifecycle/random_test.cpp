// Jobs and ledgers in one world of seeded disorder: answers come late, twice or never, nodes die.
#include <catch2/catch.hpp>

#include <deque>
#include <set>

#include "frenzy/base/rng.hpp"
#include "frenzy/lifecycle/ledger.hpp"
#include "job_fixture.hpp"

namespace frenzy::lifecycle {
namespace {

using model::JobState;

constexpr std::uint8_t kNodes = 3, kJobs = 4;
constexpr auto kCapacity = 8_MiB;

class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed) {
    for (std::uint8_t n = 0; n < kNodes; ++n) ledgers_.emplace_back("device", kCapacity);
    for (std::uint8_t j = 0; j < kJobs; ++j) {
      jobs_.push_back(new_job({.id = numbered<JobId>(j), .name = "job", .steps = 3}, WallTime{}));
      feed(j, event::Submitted{});
    }
  }

  void run() {
    for (int i = 0; i < 600; ++i) act();
    // Half the runs end with the death of all nodes, half with nothing but cancels.
    if (rng_.below(2) == 0) {
      for (std::uint8_t n = 0; n < kNodes; ++n) kill(n);
    }
    for (int i = 0; i < 2000 && !queue_.empty(); ++i) deliver();
    for (std::uint8_t j = 0; j < kJobs; ++j) feed(j, event::CancelRequested{"the test"});
    while (!queue_.empty()) deliver();
  }

  void check() const {
    for (const auto& job : jobs_) {
      INFO(model::name_of(job.state) << ": " << job.reason);
      CHECK(model::is_terminal(job.state));
    }
    for (const auto& ledger : ledgers_) CHECK(ledger.held() == 0_B);
  }

 private:
  struct Pending {
    std::uint8_t job;
    JobEvent event;
  };

  static std::uint8_t index(NodeId node) { return static_cast<std::uint8_t>(node.uuid.bytes[0] - 1); }
  TimePoint now() const { return TimePoint{} + std::chrono::milliseconds{time_}; }

  void act() {
    time_ += static_cast<std::int64_t>(rng_.below(200));
    for (auto& ledger : ledgers_) ledger.expire(now());
    const auto choice = rng_.below(40);
    if (choice == 0) return kill(static_cast<std::uint8_t>(rng_.below(kNodes)));
    if (choice == 1) return feed(any_job(), event::CancelRequested{"somebody"});
    if (choice == 2) return feed(any_job(), event::ClusterChanged{});
    if (choice < 8) return report(any_job());
    deliver();
  }

  std::uint8_t any_job() { return static_cast<std::uint8_t>(rng_.below(kJobs)); }

  /// One of the open events, in any order; some are lost, some come twice.
  void deliver() {
    if (queue_.empty()) return;
    const auto at = static_cast<std::ptrdiff_t>(rng_.below(queue_.size()));
    const auto pending = queue_[static_cast<std::size_t>(at)];
    const bool again = rng_.below(20) == 0;
    if (!again) queue_.erase(queue_.begin() + at);
    feed(pending.job, pending.event);
  }

  void kill(std::uint8_t node) {
    runners_.erase(node);
    for (const auto& entry : ledgers_[node].entries()) ledgers_[node].release(entry.job, entry.epoch);
    for (std::uint8_t j = 0; j < kJobs; ++j) feed(j, event::NodeLost{numbered<NodeId>(static_cast<std::uint8_t>(node + 1)), "killed"});
  }

  void report(std::uint8_t j) {
    auto& job = jobs_[j];
    for (const auto& node : job.nodes) {
      if (!runners_[index(node.node)].contains({j, job.epoch.value})) continue;
      const auto next = job.step.value + 1;
      feed(j, event::StepReported{node.node, job.epoch, row(next), {}});
      if (next == 3) finish(j, job.epoch);
      return;
    }
  }

  void finish(std::uint8_t j, Epoch epoch) {
    for (const auto& node : jobs_[j].nodes) {
      queue_.push_back({j, event::Saved{node.node, epoch, {3}, {}}});
      queue_.push_back({j, event::RunnerEnded{node.node, epoch, {3}, {}}});
      leave(node.node, j, epoch);
    }
  }

  void leave(NodeId node, std::uint8_t j, Epoch epoch) {
    ledgers_[index(node)].release(jobs_[j].submission.id, epoch);
    runners_[index(node)].erase({j, epoch.value});
  }

  void feed(std::uint8_t j, const JobEvent& event) {
    const bool ended = model::is_terminal(jobs_[j].state);
    auto next = step(jobs_[j], event, WallTime{std::chrono::milliseconds{time_}});
    if (ended) {
      REQUIRE(next.job.state == jobs_[j].state);
      REQUIRE(next.effects.size() == 1);
    }
    jobs_[j] = std::move(next.job);
    for (const auto& effect : next.effects) std::visit([&](const auto& e) { perform(j, e); }, effect);
  }

  void perform(std::uint8_t j, const effect::AskPlanner&) {
    model::PlannedJob planned;
    for (std::uint8_t n = 0; n < kNodes; ++n) {
      if (rng_.below(3) == 0) continue;
      model::DeviceShare share;
      share.device = numbered<DeviceId>(static_cast<std::uint8_t>(n + 11));
      share.node = numbered<NodeId>(static_cast<std::uint8_t>(n + 1));
      share.predicted[model::Part::weights] = Bytes{(1 + rng_.below(7)) << 20};
      planned.shares.push_back(share);
    }
    if (planned.shares.empty()) {
      queue_.push_back({j, event::MustWait{"nothing is free"}});
    } else {
      queue_.push_back({j, event::Planned{planned}});
    }
  }
  void perform(std::uint8_t j, const effect::ReserveDevice& e) {
    if (rng_.below(10) == 0) return;  // the request is lost
    auto& ledger = ledgers_[index(e.node)];
    const auto got = ledger.reserve(jobs_[j].submission.id, jobs_[j].epoch, e.bytes, now(), kReservationTime);
    if (got) {
      queue_.push_back({j, event::DeviceReserved{e.device, jobs_[j].epoch}});
    } else {
      queue_.push_back({j, event::DeviceRefused{e.device, jobs_[j].epoch, got.error()}});
    }
  }
  void perform(std::uint8_t j, const effect::ReleaseNode& e) { leave(e.node, j, jobs_[j].epoch); }
  void perform(std::uint8_t j, const effect::AssignNode& e) {
    if (rng_.below(10) == 0) return;
    queue_.push_back({j, event::RunnerReady{e.node, jobs_[j].epoch, "somewhere", {}}});
  }
  void perform(std::uint8_t j, const effect::StartNode& e) {
    const auto epoch = jobs_[j].epoch;
    const auto firm = ledgers_[index(e.node)].make_firm(jobs_[j].submission.id, epoch, now());
    if (!firm) {
      queue_.push_back({j, event::RunnerEnded{e.node, epoch, {}, firm.error()}});
      return;
    }
    // No device is granted twice: what its runners hold fits into it.
    REQUIRE(ledgers_[index(e.node)].held() <= kCapacity);
    runners_[index(e.node)].insert({j, epoch.value});
  }
  void perform(std::uint8_t j, const effect::AbortNode& e) { leave(e.node, j, jobs_[j].epoch); }
  void perform(std::uint8_t j, const effect::HoldNode& e) {
    if (rng_.below(8) != 0) queue_.push_back({j, event::RunnerHeld{e.node, jobs_[j].epoch, jobs_[j].step}});
  }
  void perform(std::uint8_t j, const effect::SaveNode& e) {
    if (rng_.below(4) != 0) queue_.push_back({j, event::Saved{e.node, jobs_[j].epoch, e.step, {}}});
  }
  void perform(std::uint8_t j, const effect::SetTimer& e) {
    queue_.push_back({j, event::TimerFired{e.timer, jobs_[j].epoch}});
  }
  void perform(std::uint8_t, const effect::RecordState& e) { REQUIRE_FALSE(e.change.reason.empty()); }
  void perform(std::uint8_t, const effect::RecordSave&) {}
  void perform(std::uint8_t, const effect::RecordStep&) {}
  void perform(std::uint8_t, const effect::RefuseEvent& e) { REQUIRE_FALSE(e.why.what.empty()); }

  Rng rng_;
  std::int64_t time_ = 0;
  std::vector<Job> jobs_;
  std::vector<Ledger> ledgers_;
  std::deque<Pending> queue_;
  std::map<std::uint8_t, std::set<std::pair<std::uint8_t, std::uint64_t>>> runners_;
};

}  // namespace

TEST_CASE("in any disorder every job ends, no device is granted twice and ledgers return to zero", "[lifecycle]") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    World world(seed);
    world.run();
    world.check();
  }
}

}  // namespace frenzy::lifecycle
