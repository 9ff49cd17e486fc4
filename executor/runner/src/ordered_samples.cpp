#include "frenzy/executor/ordered_samples.hpp"

namespace frenzy::executor {

OrderedSamples::OrderedSamples(data::Samples samples, const model::Recipe& recipe)
    : samples_(std::move(samples)),
      order_{recipe.seed, samples_.count(), recipe.global_batch} {}

Status OrderedSamples::fill(Step step, model::SampleRange numbers, std::uint32_t sequence,
                            std::span<std::int32_t> tokens, std::span<std::int32_t> targets) {
  FRENZY_CHECK(sequence == samples_.seq_len());
  return samples_.fill(order_.of(step, numbers), tokens, targets);
}

}  // namespace frenzy::executor
