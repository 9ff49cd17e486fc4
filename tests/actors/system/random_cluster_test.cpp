// The same actors under seeded faults: nodes are killed, frozen and leave, jobs are cancelled.
#include <catch2/catch.hpp>

#include "frenzy/base/rng.hpp"
#include "scratch_directory.hpp"
#include "simulated_cluster.hpp"

namespace frenzy::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void disturb(SimulatedCluster& cluster, Rng& rng, std::vector<bool>& alive, std::size_t jobs) {
  const auto node = rng.below(alive.size());
  const auto choice = rng.below(8);
  if (choice < 3 && alive[node]) {
    alive[node] = false;
    if (choice == 0) cluster.kill_node(node + 1);
    if (choice == 1) cluster.freeze_node(node + 1);
    if (choice == 2) cluster.leave_node(node + 1);
  } else if (choice == 3) {
    (void)cluster.ask(codec::CancelJob{format("job{}", rng.below(jobs))});
  } else if (choice == 4) {
    cluster.add_node();
    alive.push_back(true);
  } else {
    cluster.run_for(milliseconds{static_cast<std::int64_t>(rng.below(400))});
  }
}

/// One seed; what the jobs ended with, as a trace.
std::string run(std::uint64_t seed) {
  const ScratchDirectory scratch;
  Rng rng(seed);
  SimulatedCluster cluster({.seed = seed, .job_bytes = Bytes{(8 + rng.below(40)) << 20}, .steps = 20 + rng.below(200),
                            .state_directory = scratch.path()});
  cluster.start_coordinator();
  std::vector<bool> alive(3, true);
  for (std::size_t i = 0; i < alive.size(); ++i) cluster.add_node();
  if (rng.below(4) == 0) cluster.faults.fails_at_step = 1 + rng.below(20);
  constexpr std::size_t kJobs = 3;
  for (std::size_t i = 0; i < kJobs; ++i) REQUIRE(cluster.submit(format("job{}", i)));
  for (int i = 0; i < 12; ++i) disturb(cluster, rng, alive, kJobs);
  cluster.run_for(seconds{20});
  std::string trace;
  for (std::size_t i = 0; i < kJobs; ++i) {
    const auto name = format("job{}", i);
    (void)cluster.ask(codec::CancelJob{name});
    const auto job = cluster.wait_end(name, seconds{10});
    INFO(name << ": " << job.summary.reason);
    CHECK(model::is_terminal(job.summary.state));
    trace += format("{} {} {}\n", name, model::name_of(job.summary.state), job.summary.reason);
  }
  cluster.run_for(seconds{2});
  CHECK(cluster.held() == 0_B);
  return trace;
}

}  // namespace

TEST_CASE("under any faults every job ends and nothing stays held", "[actors]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    (void)run(seed);
  }
}

TEST_CASE("the same seed gives the same end", "[actors]") {
  for (const std::uint64_t seed : {3U, 11U}) CHECK(run(seed) == run(seed));
}

}  // namespace frenzy::testing
