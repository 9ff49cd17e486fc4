#pragma once
// The oracle: what a job's state must be at each step, computed sample by sample on plain vectors. It
// knows no plan, program, arena, collective or device.

#include <array>
#include <vector>

#include "frenzy/executor/data/sample_order.hpp"
#include "frenzy/executor/kernels.hpp"
#include "frenzy/model/field.hpp"
#include "frenzy/model/job_spec.hpp"
#include "frenzy/model/parameter_layout.hpp"

namespace frenzy::simulation {

class Oracle {
 public:
  /// `text` is the whole data set.
  Oracle(const model::JobSpec& job, std::string text);

  /// Goes on to state `step`, not below where it is.
  void advance(Step step);

  struct Sums {
    double loss = 0, tokens = 0, norm = 0;
  };
  /// Of the step that made the present state.
  [[nodiscard]] const Sums& sums() const { return sums_; }
  /// The element's value at the present state.
  [[nodiscard]] double value(BlockIndex block, model::Field field, std::uint64_t element) const;
  [[nodiscard]] std::uint64_t elements(BlockIndex block) const { return layout_[block.value].elements; }
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(layout_.size()); }
  [[nodiscard]] bool has_moments() const { return job_.recipe.optimizer == model::OptimizerKind::adamw; }

 private:
  using Memory = std::vector<std::byte>;
  struct Block {
    std::array<Memory, 3> state;  ///< weights, moments
    Memory gradient, kept, output, output_gradient, deferred, workspace;
  };
  void step();
  void sample(std::uint64_t id);
  void optimize(std::uint32_t block, double scale);
  [[nodiscard]] executor::BlockCall call(std::uint32_t block);

  model::JobSpec job_;
  std::string text_;
  std::vector<model::BlockLayout> layout_;
  std::unique_ptr<executor::Kernels> kernels_;
  executor::data::SampleOrder order_;
  std::vector<Block> blocks_;
  Memory logits_;
  std::vector<std::int32_t> tokens_, targets_;
  double loss_ = 0;
  Step at_{};
  Sums sums_;
};

}  // namespace frenzy::simulation
