#include <array>
#include <cmath>
#include <cstring>

#include "frenzy/base/check.hpp"
#include "machine.hpp"

namespace frenzy::executor::cpu {
namespace {

constexpr std::size_t kElementBlock = 1 << 16;

AdamwFactors adamw_factors(const OptimizerCall& call) {
  const auto& r = *call.recipe;
  const auto t = static_cast<double>(call.step);
  return {.gradient_scale = static_cast<float>(call.gradient_scale),
          .keep = static_cast<float>(1.0 - call.rate * call.weight_decay),
          .rate = static_cast<float>(call.rate / (1.0 - std::pow(r.beta1, t))),
          .beta1 = static_cast<float>(r.beta1),
          .beta2 = static_cast<float>(r.beta2),
          .root = static_cast<float>(std::sqrt(1.0 - std::pow(r.beta2, t))),
          .epsilon = static_cast<float>(r.epsilon)};
}

}  // namespace

void embedding_forward(Machine& machine, const BlockCall& call) {
  const auto& spec = machine.views.spec();
  const std::size_t width = spec.hidden;
  const float* const words = elements<float>(call.weights) + machine.views.edges().tokens;
  const float* const positions = elements<float>(call.weights) + machine.views.edges().positions;
  auto* const out = elements<float>(call.output);
  for (std::size_t row = 0; row < call.shape.tokens(); ++row) {
    const auto token = static_cast<std::size_t>(call.tokens[row]);
    FRENZY_CHECK(token < spec.vocabulary);
    std::memcpy(out + row * width, words + token * width, width * sizeof(float));
    machine.vector.add(out + row * width, positions + row % call.shape.sequence * width, width);
  }
}

// In token order by one thread: rows of a token add up the same way every time.
void embedding_backward_weight(Machine& machine, const BlockCall& call) {
  const std::size_t width = machine.views.spec().hidden;
  float* const words = elements<float>(call.weight_gradient) + machine.views.edges().tokens;
  float* const positions = elements<float>(call.weight_gradient) + machine.views.edges().positions;
  const auto* const d_out = elements<float>(call.output_gradient);
  for (std::size_t row = 0; row < call.shape.tokens(); ++row) {
    const auto token = static_cast<std::size_t>(call.tokens[row]);
    machine.vector.add(words + token * width, d_out + row * width, width);
    machine.vector.add(positions + row % call.shape.sequence * width, d_out + row * width, width);
  }
}

void optimize(Machine& machine, const OptimizerCall& call) {
  auto* const w = elements<float>(call.weights);
  const auto* const gradient = elements<float>(call.gradient);
  const std::size_t total = call.weights.size() / sizeof(float);
  switch (call.recipe->optimizer) {
    case model::OptimizerKind::adamw: {
      const auto factors = adamw_factors(call);
      auto* const m = elements<float>(call.moment1);
      auto* const v = elements<float>(call.moment2);
      for_blocks(machine.pool, total, kElementBlock, [&](std::size_t i, std::size_t count, std::uint32_t) {
        machine.vector.adamw(w + i, m + i, v + i, gradient + i, count, factors);
      });
      return;
    }
    case model::OptimizerKind::sgd:
      for_blocks(machine.pool, total, kElementBlock, [&](std::size_t i, std::size_t count, std::uint32_t) {
        machine.vector.sgd(w + i, gradient + i, count, static_cast<float>(call.gradient_scale),
                           static_cast<float>(call.rate), static_cast<float>(call.weight_decay));
      });
      return;
  }
}

double squared_norm(Machine& machine, ConstBytes gradient) {
  std::array<double, 64> sums{};
  const auto* const x = elements<float>(gradient);
  const std::size_t total = gradient.size() / sizeof(float);
  const std::size_t step = std::max(kElementBlock, (total + sums.size() - 1) / sums.size());
  for_blocks(machine.pool, total, step, [&](std::size_t i, std::size_t count, std::uint32_t) {
    sums[i / step] = machine.vector.squared_norm(x + i, count);
  });
  double sum = 0.0;
  for (const double one : sums) sum += one;
  return sum;
}

// On the caller's thread: collectives add while the helpers work on the compute stream's call.
void add(Machine& machine, MutableBytes into, ConstBytes from) {
  FRENZY_CHECK(into.size() == from.size());
  machine.vector.add(elements<float>(into), elements<float>(from), into.size() / sizeof(float));
}

}  // namespace frenzy::executor::cpu
