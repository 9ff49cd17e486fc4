#include "frenzy/memory_profiler/pack.hpp"

#include <catch2/catch.hpp>

#include "frenzy/memory_profiler/admission.hpp"
#include "frenzy/memory_profiler/lifetimes.hpp"
#include "frenzy/planner/compile.hpp"
#include "frenzy/program/order.hpp"
#include "small_plans.hpp"

using namespace frenzy;
using namespace frenzy::testing;
using namespace frenzy::memory_profiler;

namespace {

program::Program random_program(std::uint64_t seed) {
  Rng rng(seed);
  const auto spec = small_model(1 + static_cast<std::uint32_t>(rng.below(4)), 16);
  const auto recipe = small_recipe(4 + static_cast<std::uint32_t>(rng.below(12)));
  const auto ranks = 1 + static_cast<std::uint32_t>(rng.below(4));
  const auto sharding = rng.below(2) == 0 ? model::Sharding::optimizer : model::Sharding::replicated;
  const auto plan = random_plan(rng, spec, recipe, ranks, sharding);
  return *planner::compile(plan, {static_cast<std::uint32_t>(rng.below(ranks))}, {}, {});
}

}  // namespace

TEST_CASE("buffers that may be alive at once never share a byte", "[memory_profiler]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto packed = pack(random_program(seed));
    const auto& buffers = packed.program.buffers;
    const Lifetimes lifetimes(packed.program);
    for (std::uint32_t a = 0; a < buffers.size(); ++a) {
      CHECK(packed.offsets[a] % kBufferAlignment == 0);
      CHECK(packed.offsets[a] + buffers[a].bytes.value <= packed.arena.value);
      for (std::uint32_t b = 0; b < a; ++b) {
        const bool apart = packed.offsets[a] + buffers[a].bytes.value <= packed.offsets[b] ||
                           packed.offsets[b] + buffers[b].bytes.value <= packed.offsets[a];
        if (!apart) REQUIRE_FALSE(lifetimes.overlap(a, b));
      }
    }
  }
}

TEST_CASE("the parts of a footprint sum to the arena and gaps stay small", "[memory_profiler]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto packed = pack(random_program(seed));
    CHECK(packed.footprint.total() == packed.arena);
    const auto live = peak(packed.program).live;
    CHECK(packed.arena >= live);
    INFO("seed " << seed << " arena " << packed.arena.value << " live " << live.value);
    // The bound is of the list order; streams that really overlap keep more alive than it counts.
    const double slack = packed.program.ranks == 1 ? 1.10 : 1.30;
    CHECK(static_cast<double>(packed.arena.value) <= slack * static_cast<double>(live.value));
  }
}

TEST_CASE("order follows from buffer use and from streams", "[program]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto program = random_program(seed);
    program::Cursor cursor(program);
    const program::HappensBefore before(program::predecessors(program));
    std::vector<std::uint32_t> running, finished;
    Rng rng(seed);
    while (!cursor.finished()) {
      for (const auto ready : cursor.take_ready()) {
        for (const auto other : running) CHECK_FALSE(before(other, ready.value));
        running.push_back(ready.value);
      }
      REQUIRE_FALSE(running.empty());
      const auto pick = rng.below(running.size());
      finished.push_back(running[pick]);
      cursor.complete({running[pick]});
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    CHECK(finished.size() == program.instructions.size());
  }
}

TEST_CASE("a program that does not fit is refused with needed, free and the largest part",
          "[memory_profiler]") {
  const auto packed = pack(random_program(1));
  const Room enough{"gpu0", packed.arena + 5_MiB, 1_MiB, 4_MiB};
  CHECK(admit(packed, enough).ok());
  const Room tight{"gpu0", packed.arena + 5_MiB - 1_B, 1_MiB, 4_MiB};
  const auto refused = admit(packed, tight);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::does_not_fit);
  CHECK_THAT(refused.error().what, Catch::Contains("device gpu0: needs"));
  CHECK_THAT(refused.error().what, Catch::Contains("the largest part is reserve with 4.00 MiB"));
}
