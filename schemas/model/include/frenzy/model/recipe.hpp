#pragma once
// How a model is trained: what a job file's [train] says. Everything here is independent of devices.

#include <cstdint>

#include "frenzy/base/result.hpp"
#include "frenzy/model/scalar.hpp"

namespace frenzy::model {

enum class OptimizerKind : std::uint8_t { adamw = 1, sgd = 2 };
enum class Schedule : std::uint8_t { constant = 1, cosine = 2, linear = 3 };

struct Recipe {
  std::uint64_t steps = 0;
  std::uint32_t global_batch = 0;  ///< sequences a step, independent of devices
  std::uint32_t sequence = 0;      ///< tokens a sequence
  OptimizerKind optimizer = OptimizerKind::adamw;
  double learning_rate = 0.0;
  double minimum_rate = 0.0;  ///< the schedule ends here
  Schedule schedule = Schedule::cosine;
  std::uint64_t warmup = 0;  ///< steps of linear warm-up
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.1;
  double clip = 1.0;  ///< global L2 norm; 0 = no clipping
  Scalar precision = Scalar::fp32;
  double dropout = 0.0;
  std::uint64_t seed = 0;

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// invalid_argument naming the field and its bounds.
[[nodiscard]] Result<Recipe> validated(const Recipe& recipe);

/// Learning rate of the step that makes state `step` + 1 out of `step` (the first is 0): linear from
/// rate/warmup up to rate, then the schedule down to minimum_rate at the last step.
[[nodiscard]] double learning_rate(const Recipe& recipe, std::uint64_t step);

}  // namespace frenzy::model
