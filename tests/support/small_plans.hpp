#pragma once
// Small models and random data-parallel plans for tests.

#include <algorithm>
#include <vector>

#include "frenzy/base/rng.hpp"
#include "frenzy/model/plan.hpp"

namespace frenzy::testing {

inline model::ModelSpec small_model(std::uint32_t layers = 2, std::uint32_t hidden = 16,
                                    std::uint32_t vocabulary = 29) {
  auto spec = model::validated({.layers = layers, .hidden = hidden, .heads = 2, .ffn = 0,
                                .positions = 12, .vocabulary = vocabulary});
  return *spec;
}

inline model::Recipe small_recipe(std::uint32_t batch = 6, model::Scalar precision = model::Scalar::fp64) {
  model::Recipe recipe;
  recipe.steps = 20;
  recipe.global_batch = batch;
  recipe.sequence = 8;
  recipe.learning_rate = 1e-2;
  recipe.warmup = 2;
  recipe.precision = precision;
  recipe.seed = 7;
  return recipe;
}

/// Cuts [0, total) at random places into `parts` ranges, some of them empty.
inline std::vector<std::uint64_t> random_cuts(Rng& rng, std::uint64_t total, std::size_t parts) {
  std::vector<std::uint64_t> cuts{0, total};
  for (std::size_t i = 1; i < parts; ++i) cuts.push_back(rng.below(total + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// One stage of `ranks` devices with random sample ranges, micro-batches and shards.
inline model::Plan random_plan(Rng& rng, const model::ModelSpec& spec, const model::Recipe& recipe,
                               std::uint32_t ranks, model::Sharding sharding) {
  model::Plan plan;
  plan.epoch = {1};
  plan.model = spec;
  plan.recipe = recipe;
  plan.logit_rows = rng.below(2) == 0 ? 1024 : 5;
  model::Stage stage;
  stage.blocks = {{0}, {spec.block_count()}};
  stage.sharding = sharding;
  const auto samples = random_cuts(rng, recipe.global_batch, ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    model::Member member;
    member.device = DeviceId::random(rng);
    member.samples = {static_cast<std::uint32_t>(samples[r]), static_cast<std::uint32_t>(samples[r + 1])};
    member.micro_batch = member.samples.size() == 0
                             ? 0
                             : 1 + static_cast<std::uint32_t>(rng.below(member.samples.size()));
    stage.group.push_back(member);
  }
  for (const auto& block : parameter_layout(spec)) {
    const auto cuts = random_cuts(rng, block.elements, ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) stage.group[r].shards.push_back({cuts[r], cuts[r + 1]});
  }
  plan.pipelines.push_back({{std::move(stage)}});
  return plan;
}

}  // namespace frenzy::testing
