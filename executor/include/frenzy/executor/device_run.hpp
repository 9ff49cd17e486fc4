#pragma once
// DeviceRun: one job's program on one device, from an admitted plan to the last step: arena, streams,
// runtime, interpreter and state in one place.

#include <functional>
#include <memory>

#include "frenzy/executor/arena.hpp"
#include "frenzy/executor/host_runtime.hpp"
#include "frenzy/executor/interpreter.hpp"
#include "frenzy/executor/state.hpp"

namespace frenzy::executor {

struct DeviceRunOptions {
  Bytes memory_limit{UINT64_MAX};
  double slowdown = 0.0;  ///< 0 = not paced
  Poison poison = Poison::no;
  Faults faults;
  MakeRuntime make_runtime = make_threaded_runtime;
};

struct StepResult {
  Step step;  ///< state after it
  StepMeasure measure;
  Seconds elapsed{};
  Seconds busy{};             ///< occupied time of the compute stream
  double learning_rate = 0.0;
  std::uint64_t late_instructions = 0;  ///< since the run began
  std::uint64_t instructions = 0;       ///< since the run began, compute stream
};

/// Thread: construction and calls from one thread; callbacks run on a stream's thread.
class DeviceRun {
 public:
  /// Errors: does_not_fit. Everything passed in outlives the run.
  [[nodiscard]] static Result<std::unique_ptr<DeviceRun>> create(
      program::PackedProgram program, std::unique_ptr<Kernels> kernels, Exchange* exchange,
      Samples& samples, const Clock& clock, const DeviceRunOptions& options);
  virtual ~DeviceRun() = default;

  [[nodiscard]] virtual State& state() = 0;
  /// Runs the step after state `step`.
  virtual void run_step(Step step, std::function<void(Result<StepResult>)> done) = 0;
  /// Blocks; the same.
  [[nodiscard]] virtual Result<StepResult> run_step(Step step) = 0;
  [[nodiscard]] virtual const program::PackedProgram& program() const = 0;
  [[nodiscard]] virtual std::size_t progress() = 0;
  /// The running instruction that was started first; none between steps.
  [[nodiscard]] virtual std::optional<InstructionIndex> oldest() = 0;
};

}  // namespace frenzy::executor
