#pragma once
// The samples of a job: a token source cut into windows, in the keyed order of the job's seed.

#include "frenzy/executor/data/sample_order.hpp"
#include "frenzy/executor/data/samples.hpp"
#include "frenzy/executor/samples.hpp"
#include "frenzy/model/recipe.hpp"

namespace frenzy::executor {

/// Thread: any.
class OrderedSamples final : public Samples {
 public:
  OrderedSamples(data::Samples samples, const model::Recipe& recipe);
  [[nodiscard]] Status fill(Step step, model::SampleRange numbers, std::uint32_t sequence,
                            std::span<std::int32_t> tokens,
                            std::span<std::int32_t> targets) override;

 private:
  data::Samples samples_;
  data::SampleOrder order_;
};

}  // namespace frenzy::executor
