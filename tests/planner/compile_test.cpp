#include "frenzy/planner/compile.hpp"

#include <catch2/catch.hpp>

#include "small_plans.hpp"

using namespace frenzy;
using namespace frenzy::testing;
using planner::compile;

namespace {

model::Plan plan_of(std::uint32_t ranks, model::Sharding sharding = model::Sharding::optimizer) {
  Rng rng(11);
  return random_plan(rng, small_model(), small_recipe(6), ranks, sharding);
}

std::size_t count(const program::Program& program, program::Opcode opcode) {
  return static_cast<std::size_t>(
      std::count_if(program.instructions.begin(), program.instructions.end(),
                    [&](const auto& i) { return i.opcode == opcode; }));
}

}  // namespace

TEST_CASE("equal plans compile to equal fingerprints and any change to another", "[planner]") {
  const auto plan = plan_of(3);
  const auto first = *compile(plan, {1}, {}, {});
  CHECK(fingerprint(first) == fingerprint(*compile(plan, {1}, {}, {})));
  CHECK(fingerprint(first) != fingerprint(*compile(plan, {2}, {}, {})));
  auto other = plan;
  other.recipe.seed += 1;
  CHECK(fingerprint(first) != fingerprint(*compile(other, {1}, {}, {})));
  program::KernelCatalogue catalogue;
  for (const auto& mb : first.micro_batches) {
    catalogue.set({program::Opcode::forward, model::BlockKind::layer, mb.shape, model::Scalar::fp64, 1},
                  64_KiB);
  }
  CHECK(fingerprint(first) != fingerprint(*compile(plan, {1}, catalogue, {})));
}

TEST_CASE("every buffer is written before it is read", "[planner]") {
  for (std::uint32_t ranks = 1; ranks < 5; ++ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto program = *compile(plan_of(ranks), {rank}, {}, {});
      std::vector<bool> written(program.buffers.size(), false);
      for (std::size_t i = 0; i < written.size(); ++i) {
        written[i] = program.buffers[i].lifetime == program::Lifetime::persistent;
      }
      for (const auto& instruction : program.instructions) {
        for (const auto& use : instruction.uses) {
          const bool starts_here = use.operand == program::Operand::losses;
          if (use.access != program::Access::write && !starts_here) CHECK(written[use.buffer.value]);
          written[use.buffer.value] = true;
        }
      }
    }
  }
}

TEST_CASE("every rank reduces and gathers the same blocks in the same order", "[planner]") {
  for (const auto sharding : {model::Sharding::replicated, model::Sharding::optimizer}) {
    const auto plan = plan_of(4, sharding);
    std::vector<std::vector<std::pair<program::Opcode, std::uint32_t>>> collectives;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      auto& list = collectives.emplace_back();
      const auto program = *compile(plan, {rank}, {}, {});
      for (const auto& i : program.instructions) {
        if (i.stream == program::Stream::collective) list.emplace_back(i.opcode, i.block.value);
      }
    }
    for (const auto& list : collectives) CHECK(list == collectives[0]);
  }
}

TEST_CASE("a single device exchanges nothing", "[planner]") {
  const auto program = *compile(plan_of(1), {0}, {}, {});
  CHECK(count(program, program::Opcode::reduce) == 0);
  CHECK(count(program, program::Opcode::gather) == 0);
  CHECK(count(program, program::Opcode::commit) == 1);
}

TEST_CASE("what is not compiled yet is refused by name", "[planner]") {
  const auto refused = [](auto change) {
    auto plan = plan_of(2);
    change(plan);
    const auto result = compile(plan, {0}, {}, {});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == Errc::unsupported);
    return result.error().what;
  };
  CHECK_THAT(refused([](auto& p) { p.pipelines[0].stages[0].sharding = model::Sharding::ministage; }),
             Catch::Contains("ministages"));
  CHECK_THAT(refused([](auto& p) { p.pipelines[0].stages[0].offload.parameters = true; }),
             Catch::Contains("offload"));
  CHECK_THAT(refused([](auto& p) { p.recipe.precision = model::Scalar::bf16; }),
             Catch::Contains("bf16"));
  CHECK_THAT(refused([](auto& p) { p.recipe.dropout = 0.1; }), Catch::Contains("dropout"));
}

TEST_CASE("an illegal plan is refused with every reason", "[planner]") {
  auto plan = plan_of(2);
  plan.pipelines[0].stages[0].group[1].samples.end += 1;
  plan.pipelines[0].stages[0].group[0].shards[1].end += 1;
  const auto reasons = validate(plan);
  CHECK(reasons.size() == 2);
  const auto result = compile(plan, {0}, {}, {});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == Errc::invalid_argument);
  CHECK_THAT(result.error().what, Catch::Contains("samples") && Catch::Contains("owns"));
}
