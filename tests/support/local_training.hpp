#pragma once
// Runs a plan in this process: one DeviceRun a member, joined by a LocalExchange.

#include <cstring>
#include <future>
#include <map>
#include <memory>

#include "frenzy/base/rng.hpp"
#include "frenzy/executor/device_run.hpp"
#include "frenzy/memory_profiler/pack.hpp"
#include "frenzy/planner/compile.hpp"

namespace frenzy::testing {

/// Tokens made from (step, sample number, position), so every plan sees the same data.
class CountedSamples final : public executor::Samples {
 public:
  explicit CountedSamples(std::uint32_t vocabulary, bool holes = false)
      : vocabulary_(vocabulary), holes_(holes) {}
  [[nodiscard]] Status fill(Step step, model::SampleRange numbers, std::uint32_t sequence,
                            std::span<std::int32_t> tokens, std::span<std::int32_t> targets) override {
    std::size_t at = 0;
    for (auto sample = numbers.begin; sample < numbers.end; ++sample) {
      for (std::uint32_t t = 0; t < sequence; ++t, ++at) {
        tokens[at] = token(step, sample, t);
        const bool hole = holes_ && counter_random(99, sample * 1000ULL + t) % 5 == 0;
        targets[at] = hole ? -1 : token(step, sample, t + 1);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::int32_t token(Step step, std::uint32_t sample, std::uint32_t t) const {
    const auto bits = counter_random(step.value * 4096 + sample, t);
    return static_cast<std::int32_t>(bits % vocabulary_);
  }
  std::uint32_t vocabulary_;
  bool holes_;
};

struct TrainedJob {
  std::vector<double> losses;  // sum per step / tokens
  std::vector<double> norms;
  std::vector<std::vector<double>> weights;  // per block, whole
  std::vector<std::vector<double>> moments;  // per block, first moment, whole
  std::vector<std::string> errors;
};

using KernelsMaker = std::function<std::unique_ptr<executor::Kernels>(const model::ModelSpec&)>;

template <class T>
void copy_range(const executor::State& state, BlockIndex block, executor::Field field,
                model::ElementRange range, std::vector<double>& into) {
  const auto bytes = state.bytes(block, field, range);
  for (std::uint64_t i = 0; i < range.size(); ++i) {
    T value{};
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    into[range.begin + i] = static_cast<double>(value);
  }
}

inline void collect_state(executor::DeviceRun& run, TrainedJob& out) {
  const auto layout = parameter_layout(run.program().program.model);
  out.weights.resize(layout.size());
  out.moments.resize(layout.size());
  for (std::uint32_t b = 0; b < layout.size(); ++b) {
    out.weights[b].resize(layout[b].elements);
    out.moments[b].resize(layout[b].elements);
    const auto& state = run.state();
    const bool wide = run.program().program.recipe.precision == model::Scalar::fp64;
    for (const auto field : {executor::Field::weights, executor::Field::moment1}) {
      auto& into = field == executor::Field::weights ? out.weights[b] : out.moments[b];
      const auto owned = state.owned({b}, field);
      wide ? copy_range<double>(state, {b}, field, owned, into)
           : copy_range<float>(state, {b}, field, owned, into);
    }
  }
}

inline TrainedJob train(const model::Plan& plan, std::uint64_t steps, const KernelsMaker& make,
                        executor::Samples& samples, executor::DeviceRunOptions options = {}) {
  static const SystemClock clock;
  const auto ranks = static_cast<std::uint32_t>(plan.pipelines[0].stages[0].group.size());
  executor::LocalExchange hub(ranks);
  std::vector<std::unique_ptr<executor::Exchange>> views;
  std::vector<std::unique_ptr<executor::DeviceRun>> runs;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    auto program = planner::compile(plan, {r}, {}, {});
    FRENZY_CHECK(program.ok());
    views.push_back(hub.join({r}));
    auto run = executor::DeviceRun::create(memory_profiler::pack(std::move(*program)),
                                           make(plan.model), views.back().get(), samples, clock, options);
    FRENZY_CHECK(run.ok());
    (*run)->state().initialise();
    runs.push_back(std::move(*run));
  }
  TrainedJob out;
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<std::promise<Result<executor::StepResult>>> promises(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      runs[r]->run_step({step}, [&, r](Result<executor::StepResult> result) {
        if (!result) hub.abort(result.error());
        promises[r].set_value(std::move(result));
      });
    }
    for (std::uint32_t r = 0; r < ranks; ++r) {
      auto result = promises[r].get_future().get();
      if (!result) {
        out.errors.push_back(result.error().what);
      } else if (r == 0) {
        out.losses.push_back(result->measure.loss_sum / result->measure.tokens);
        out.norms.push_back(result->measure.gradient_norm);
      }
    }
    if (!out.errors.empty()) return out;
  }
  for (auto& run : runs) collect_state(*run, out);
  return out;
}

}  // namespace frenzy::testing
