#pragma once
// HostRuntime: runs instructions on host memory with given kernels, one thread a stream, paced as
// the virtual device says. The CPU backend in production and in tests.

#include <memory>

#include "frenzy/base/tasks.hpp"
#include "frenzy/executor/device_runtime.hpp"
#include "frenzy/executor/exchange.hpp"
#include "frenzy/executor/kernels.hpp"
#include "frenzy/executor/pacer.hpp"
#include "frenzy/executor/samples.hpp"

namespace frenzy::executor {

/// What one device measured over one step.
struct StepMeasure {
  double tokens = 0.0;         ///< of the job
  double loss_sum = 0.0;       ///< of the job: sum of -log p
  double gradient_norm = 0.0;  ///< global, of the mean gradient, before clipping
};

/// Injected faults, for tests and drills.
struct Faults {
  /// Instructions of this step and opcode fail as if memory had run out (exhausted); 0 = never.
  std::uint64_t fail_at_step = 0;
  program::Opcode fail_opcode = program::Opcode::forward;
};

struct HostRuntimeParts {
  const program::PackedProgram* program = nullptr;
  std::span<std::byte> arena;
  Kernels* kernels = nullptr;
  Exchange* exchange = nullptr;  ///< null for a single device
  Samples* samples = nullptr;
  /// compute, collective and copy_in; may be the same object. All outlive the runtime.
  Tasks* compute = nullptr;
  Tasks* collective = nullptr;
  Tasks* copy_in = nullptr;
  double slowdown = 0.0;  ///< 0 = as fast as the machine
  Faults faults;
};

/// Thread: start from any; the rest when no step runs.
class HostRuntime final : public DeviceRuntime {
 public:
  explicit HostRuntime(const HostRuntimeParts& parts);
  ~HostRuntime() override;
  HostRuntime(const HostRuntime&) = delete;
  HostRuntime& operator=(const HostRuntime&) = delete;
  HostRuntime(HostRuntime&&) = delete;
  HostRuntime& operator=(HostRuntime&&) = delete;

  void start(InstructionIndex index, const StepContext& context, InstructionDone done) override;

  /// Of the last complete step.
  [[nodiscard]] const StepMeasure& measure() const;
  [[nodiscard]] const Pacer& pacer() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace frenzy::executor
