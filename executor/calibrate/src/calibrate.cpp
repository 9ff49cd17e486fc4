#include "frenzy/executor/calibrate.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "frenzy/base/thread_tasks.hpp"

namespace frenzy::executor {
namespace {

constexpr program::MicroBatchShape kShape{2, 256};

/// Memory of one layer call, without an arena: calibration runs before any program.
class Probe {
 public:
  explicit Probe(Kernels& kernels)
      : kernels_(kernels), spec_(probe_model()),
        table_(block_table(spec_, model::BlockKind::layer, kShape, 1024, kernels.scalar())) {
    const auto scratch = [&](program::Opcode opcode) {
      return kernels.workspace(opcode, model::BlockKind::layer, kShape);
    };
    const auto temporaries = std::max(table_.forward_temporaries.bytes, table_.backward_temporaries.bytes);
    const auto extra = std::max(scratch(program::Opcode::forward), scratch(program::Opcode::backward));
    call_.shape = kShape;
    call_.weights = take(table_.parameters);
    call_.input = take(table_.boundary);
    call_.output = take(table_.boundary);
    call_.kept = take(table_.kept.bytes);
    call_.output_gradient = take(table_.boundary);
    call_.input_gradient = take(table_.boundary);
    call_.deferred = take(table_.deferred.bytes);
    call_.workspace = take(temporaries + extra);
    call_.weight_gradient = take(table_.parameters);
    moment1_ = take(table_.parameters);
    moment2_ = take(table_.parameters);
    weights_ = take(table_.parameters);
  }

  void layer() {
    kernels_.forward(call_);
    kernels_.backward_input(call_);
    kernels_.backward_weight(call_);
  }
  void optimizer() {
    OptimizerCall call;
    call.recipe = &recipe_;
    call.weights = weights_;
    call.moment1 = moment1_;
    call.moment2 = moment2_;
    call.gradient = call_.weight_gradient;
    kernels_.optimize(call);
  }
  [[nodiscard]] double layer_flops() const {
    return (table_.forward + table_.backward_input + table_.backward_weight).value;
  }
  [[nodiscard]] double optimizer_bytes() const {
    return 7.0 * static_cast<double>(table_.parameters.value);
  }

 private:
  MutableBytes take(Bytes bytes) {
    // Zeros are as fast as any other numbers here: nothing is denormal and nothing branches on them.
    auto& memory = memory_.emplace_back(bytes.value + program::kTensorAlignment);
    void* start = memory.data();
    auto space = memory.size();
    return {static_cast<std::byte*>(std::align(program::kTensorAlignment, bytes.value, start, space)),
            bytes.value};
  }

  Kernels& kernels_;
  model::ModelSpec spec_;
  program::BlockTable table_;
  model::Recipe recipe_;
  BlockCall call_;
  MutableBytes moment1_, moment2_, weights_;
  std::vector<std::vector<std::byte>> memory_;
};

/// Least CPU time of one `work`, over repetitions within `budget` (two at least).
template <class Work>
Seconds least_cpu_time(Kernels& kernels, const Clock& clock, std::chrono::nanoseconds budget, Work work) {
  const auto end = clock.now() + budget;
  Seconds best{std::numeric_limits<double>::max()};
  for (int i = 0; i < 2 || clock.now() < end; ++i) {
    const auto cpu = thread_cpu_time();
    const auto helpers = kernels.helper_cpu_time();
    work();
    const Seconds used = Seconds(thread_cpu_time() - cpu) + (kernels.helper_cpu_time() - helpers);
    best = std::min(best, used);
  }
  return best;
}

/// What a virtual device of `slowdown` makes of its processor's `cost`; 0 = not paced.
model::DeviceCost slowed(model::DeviceCost cost, double slowdown) {
  if (slowdown <= 0) return cost;
  cost.matrix_rate.value /= slowdown;
  cost.memory_bandwidth.value /= slowdown;
  return cost;
}

}  // namespace

model::ModelSpec probe_model() {
  return {.family = model::Family::gpt2, .layers = 1, .hidden = 256, .heads = 4, .ffn = 1024, .positions = 256, .vocabulary = 256,
          .tying = model::Tying::tied, .norm_epsilon = 1e-5};
}

model::DeviceCost measure_device(Kernels& kernels, const Clock& clock, const CalibrateOptions& options) {
  Probe probe(kernels);
  probe.layer();
  const auto layer = least_cpu_time(kernels, clock, options.budget * 3 / 4, [&] { probe.layer(); });
  const auto optimizer = least_cpu_time(kernels, clock, options.budget / 4, [&] { probe.optimizer(); });
  model::DeviceCost out;
  out.matrix_rate = {probe.layer_flops() / layer.count()};
  out.memory_bandwidth = {probe.optimizer_bytes() / optimizer.count()};
  return out;
}

model::Calibration measure_virtual_devices(Kernels& kernels, const Clock& clock,
                                           const std::vector<model::DeviceSpec>& devices,
                                           const CalibrateOptions& options) {
  const auto processor = measure_device(kernels, clock, options);
  model::Calibration out;
  for (const auto& device : devices) out.devices[device.id] = slowed(processor, device.slowdown);
  return out;
}

}  // namespace frenzy::executor
