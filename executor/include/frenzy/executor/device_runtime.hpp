#pragma once
// DeviceRuntime: starts one instruction of a program on a device and says when it is done. The
// interpreter above it is the same for every backend; cpu, cuda and simulated runtimes stand below.

#include <functional>
#include <memory>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/executor/exchange.hpp"
#include "frenzy/executor/kernels.hpp"
#include "frenzy/executor/samples.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::executor {

/// What changes from step to step: the program itself does not.
struct StepContext {
  Step step;                    ///< state before it
  double learning_rate = 0.0;
};

/// What one device measured over one step.
struct StepMeasure {
  double tokens = 0.0;         ///< of the job
  double loss_sum = 0.0;       ///< of the job: sum of -log p
  double gradient_norm = 0.0;  ///< global, of the mean gradient, before clipping
};

/// What instructions of the compute stream took, since the runtime was made.
struct Occupancy {
  std::chrono::nanoseconds busy{};
  std::uint64_t instructions = 0;
  std::uint64_t late = 0;
};

/// Injected faults, for tests and drills.
struct Faults {
  /// Instructions of this step and opcode fail as if memory had run out (exhausted); 0 = never.
  std::uint64_t fail_at_step = 0;
  program::Opcode fail_opcode = program::Opcode::forward;
};

using InstructionDone = std::function<void(Status)>;

/// Thread: start from any; the rest when no step runs. The destructor waits for what runs.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  /// Starts instruction `index` of the program that the runtime was made for. All its predecessors
  /// are complete. `done` runs once, on any thread, never inside the call.
  virtual void start(InstructionIndex index, const StepContext& context, InstructionDone done) = 0;
  /// Of the last complete step.
  [[nodiscard]] virtual const StepMeasure& measure() const = 0;
  [[nodiscard]] virtual Occupancy occupancy() const = 0;
};

/// What a runtime is made for. All outlive it.
struct RuntimeParts {
  const program::PackedProgram* program = nullptr;
  std::span<std::byte> arena;
  Kernels* kernels = nullptr;
  Exchange* exchange = nullptr;  ///< null for a single device
  Samples* samples = nullptr;
  const Clock* clock = nullptr;
  double slowdown = 0.0;  ///< 0 = as fast as the machine
  Faults faults;
};
using MakeRuntime = std::function<std::unique_ptr<DeviceRuntime>(const RuntimeParts&)>;

}  // namespace frenzy::executor
