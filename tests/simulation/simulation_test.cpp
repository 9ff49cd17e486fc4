// The clean code over many seeds, in ctest entries that run beside each other.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

#include "frenzy/base/text.hpp"
#include "scenario.hpp"
#include "seeds.hpp"

namespace frenzy::simulation {
namespace {

std::size_t threads() {
  std::size_t out = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) out += entry.exists() ? 1U : 0U;
  return out;
}

void run_part(std::uint64_t part, std::uint64_t parts) {
  Outcome sum;
  for (auto seed = part + 1; seed <= seed_count(); seed += parts) {
    Defect none;
    const auto outcome = run_seed(seed, none);
    sum.finished += outcome.finished;
    sum.states_compared += outcome.states_compared;
    sum.steps_compared += outcome.steps_compared;
    if (outcome.violations.empty()) continue;
    FAIL_CHECK("seed " << seed << " (FRENZY_SEED=" << seed << " test_simulation \"one seed*\" shows its trace):\n  "
                       << join(outcome.violations, "\n  "));
  }
  // A suite that compares nothing finds nothing.
  CHECK(sum.finished > 0);
  CHECK(sum.states_compared > 0);
  CHECK(sum.steps_compared > 0);
}

}  // namespace

TEST_CASE("under seeded faults every job ends as the oracle says, part 1 of 4", "[simulation]") { run_part(0, 4); }
TEST_CASE("under seeded faults every job ends as the oracle says, part 2 of 4", "[simulation]") { run_part(1, 4); }
TEST_CASE("under seeded faults every job ends as the oracle says, part 3 of 4", "[simulation]") { run_part(2, 4); }
TEST_CASE("under seeded faults every job ends as the oracle says, part 4 of 4", "[simulation]") { run_part(3, 4); }

TEST_CASE("the same seed gives the same trace, and another seed another", "[simulation]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Defect none;
    const auto first = run_seed(seed, none), second = run_seed(seed, none), other = run_seed(seed + 1, none);
    INFO("seed " << seed);
    CHECK(first.hash == second.hash);
    CHECK(first.hash != other.hash);
  }
}

TEST_CASE("a simulated run creates no thread", "[simulation]") {
  /// Looks from inside: a device of a runner is being made.
  struct Look final : Defect {
    std::unique_ptr<executor::DeviceRuntime> runtime(const DeviceSetting& setting, const executor::RuntimeParts& parts) override {
      most = std::max(most, threads());
      return Defect::runtime(setting, parts);
    }
    std::size_t most = 0;
  } look;
  const auto before = threads();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) (void)run_seed(seed, look);
  CHECK(look.most == before);
  CHECK(threads() == before);
}

TEST_CASE("one seed of the environment, with its trace", "[simulation]") {
  const auto seed = wanted_seed();
  if (seed == 0) return;
  Defect none;
  const auto outcome = run_seed(seed, none, Keep::lines);
  if (!outcome.violations.empty()) WARN(join(outcome.lines, "\n"));
  WARN("finished " << outcome.finished << ", failed " << outcome.failed << ", cancelled " << outcome.cancelled << ", states compared "
                   << outcome.states_compared << ", steps compared " << outcome.steps_compared << ", faults " << outcome.faults);
  INFO("seed " << seed << ":\n  " << join(outcome.violations, "\n  "));
  CHECK(outcome.violations.empty());
}

}  // namespace frenzy::simulation
