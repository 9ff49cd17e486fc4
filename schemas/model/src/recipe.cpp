#include "frenzy/model/recipe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace frenzy::model {
namespace {

constexpr std::uint64_t kMostSteps = 1ULL << 40;
constexpr std::uint32_t kLargestBatch = 1U << 20;
constexpr std::uint32_t kLongestSequence = 1U << 20;

Status check_reals(const Recipe& r) {
  struct Bound {
    std::string_view name;
    double value, low, high;
  };
  const std::array<Bound, 8> bounds{{{"lr", r.learning_rate, 0, 1e3},
                                     {"min_lr", r.minimum_rate, 0, 1e3},
                                     {"beta1", r.beta1, 0, 0.999999},
                                     {"beta2", r.beta2, 0, 0.999999},
                                     {"epsilon", r.epsilon, 1e-30, 1},
                                     {"weight_decay", r.weight_decay, 0, 1e3},
                                     {"clip", r.clip, 0, 1e9},
                                     {"dropout", r.dropout, 0, 0.999}}};
  for (const auto& b : bounds) {
    if (!(b.value >= b.low && b.value <= b.high)) {
      return error(Errc::invalid_argument, "train.{} is {}, it must be {} to {}", b.name, b.value,
                   b.low, b.high);
    }
  }
  return {};
}

}  // namespace

Result<Recipe> validated(const Recipe& r) {
  if (r.steps == 0 || r.steps > kMostSteps) {
    return error(Errc::invalid_argument, "train.steps is {}, it must be 1 to {}", r.steps, kMostSteps);
  }
  if (r.global_batch == 0 || r.global_batch > kLargestBatch) {
    return error(Errc::invalid_argument, "train.global_batch is {}, it must be 1 to {}",
                 r.global_batch, kLargestBatch);
  }
  if (r.sequence == 0 || r.sequence > kLongestSequence) {
    return error(Errc::invalid_argument, "train.seq_len is {}, it must be 1 to {}", r.sequence,
                 kLongestSequence);
  }
  if (r.warmup > r.steps) {
    return error(Errc::invalid_argument, "train.warmup {} is longer than train.steps {}", r.warmup,
                 r.steps);
  }
  const auto reals = check_reals(r);
  if (!reals) return reals.error();
  return r;
}

double learning_rate(const Recipe& r, std::uint64_t step) {
  if (step < r.warmup) {
    return r.learning_rate * static_cast<double>(step + 1) / static_cast<double>(r.warmup);
  }
  if (r.schedule == Schedule::constant) return r.learning_rate;
  const auto span = r.steps > r.warmup + 1 ? r.steps - r.warmup - 1 : 1;
  const auto done = std::min(1.0, static_cast<double>(step - r.warmup) / static_cast<double>(span));
  const auto left = r.schedule == Schedule::cosine
                        ? 0.5 * (1.0 + std::cos(std::numbers::pi * done))
                        : 1.0 - done;
  return r.minimum_rate + (r.learning_rate - r.minimum_rate) * left;
}

}  // namespace frenzy::model
