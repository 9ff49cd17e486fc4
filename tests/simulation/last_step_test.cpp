// What seeds have found, as small clusters of their own.
#include <catch2/catch.hpp>

#include "invariants.hpp"
#include "scratch_directory.hpp"

namespace frenzy::simulation {
namespace {

ClusterOptions unlike_nodes(std::uint64_t seed, const std::string& directory) {
  ClusterOptions out;
  out.seed = seed;
  out.nodes = {{{.memory = 64_MiB, .speed = 8}}, {{.memory = 64_MiB, .speed = 1}, {.memory = 64_MiB, .speed = 2}}};
  out.network.seed = seed;
  out.network.loss = 0.02;
  Rng rng(seed);
  out.data = random_text(rng);
  out.state_directory = directory;
  return out;
}

}  // namespace

TEST_CASE("a runner that has done its last step stays until slower ones have done it", "[simulation]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto scratch = ScratchDirectory::in_memory();
    Defect none;
    Cluster cluster(unlike_nodes(seed, scratch.path()), none);
    cluster.start_coordinator();
    for (std::size_t n = 1; n <= 2; ++n) cluster.start_node(n);
    cluster.run_for(std::chrono::seconds{2});
    Rng rng(seed);
    auto job = random_job(rng, 0);
    while (job.spec.recipe.steps > 8) job = random_job(rng, 0);
    cluster.submit(job.id, job.toml);
    const auto ended = [&] {
      const auto known = cluster.job(job.id);
      return known && model::is_terminal(known->summary.state);
    };
    REQUIRE(cluster.run_until(ended, std::chrono::seconds{60}));
    INFO("seed " << seed << ": " << cluster.job(job.id)->summary.reason);
    CHECK(cluster.job(job.id)->summary.state == model::JobState::finished);
  }
}

}  // namespace frenzy::simulation
