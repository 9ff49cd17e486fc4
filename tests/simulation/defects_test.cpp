// Each planted defect is found by the same seeds that the clean code passes.
#include <catch2/catch.hpp>

#include <cstdio>

#include "control_defects.hpp"
#include "data_defects.hpp"
#include "frenzy/base/text.hpp"
#include "scenario.hpp"
#include "seeds.hpp"

namespace frenzy::simulation {
namespace {

void check_found(std::unique_ptr<Defect> (*plant)()) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto outcome = run_seed(seed, *plant());
    if (outcome.violations.empty()) continue;
    SUCCEED();
    std::puts(format("found within {} seeds: {}", seed, join(outcome.violations, "; ")).c_str());
    return;
  }
  FAIL("not found within " << kSeeds << " seeds");
}

}  // namespace

TEST_CASE("an abort that is not sent to the nodes that are left is found", "[simulation][defect]") { check_found(lost_abort); }
TEST_CASE("a reservation that a killed runner leaves behind is found", "[simulation][defect]") { check_found(forgotten_release); }
TEST_CASE("memory that is given back while a runner still has it is found", "[simulation][defect]") { check_found(early_release); }
TEST_CASE("a cancel that saves several steps as one is found", "[simulation][defect]") { check_found(mixed_save); }
TEST_CASE("a late gather that leaves old parameters is found", "[simulation][defect]") { check_found(stale_gather); }
TEST_CASE("a reduction that ends before its data is there is found", "[simulation][defect]") { check_found(early_completion); }
TEST_CASE("a shard that is sent from the beginning of its cache line is found", "[simulation][defect]") { check_found(rounded_offset); }
TEST_CASE("a sample that is doubled after planning anew is found", "[simulation][defect]") { check_found(doubled_sample); }

}  // namespace frenzy::simulation
