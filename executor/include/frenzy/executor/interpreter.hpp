#pragma once
// Interpreter: runs one step of a program on a DeviceRuntime by moving a pure cursor. It decides
// nothing: order comes from program/order.hpp, time from the runtime.

#include <functional>
#include <optional>

#include "frenzy/base/guarded.hpp"
#include "frenzy/executor/device_runtime.hpp"
#include "frenzy/program/order.hpp"

namespace frenzy::executor {

/// Overwrite step buffers when their life ends, so that a use after it shows (tests).
enum class Poison : std::uint8_t { no, yes };

/// Thread: any; one step at a time.
class Interpreter {
 public:
  /// `arena` is only touched for poisoning. Program, runtime and arena outlive the interpreter.
  Interpreter(const program::PackedProgram& program, DeviceRuntime& runtime,
              std::span<std::byte> arena, Poison poison);

  /// Starts a step; `done` runs once, when every started instruction is complete: with the first
  /// error (no instruction is started after one), which names the instruction.
  void run_step(const StepContext& context, std::function<void(Status)> done);

  /// Instructions completed in the current step: what heartbeats report as progress.
  [[nodiscard]] std::size_t progress();
  /// The running instruction that was started first; none between steps.
  [[nodiscard]] std::optional<InstructionIndex> oldest();

 private:
  struct State {
    explicit State(const program::Program& program) : cursor(program) {}
    program::Cursor cursor;
    StepContext context;
    std::vector<InstructionIndex> running;  ///< in the order of their start
    Status status;
    std::vector<std::uint32_t> uses_left;
    std::function<void(Status)> done;
  };
  void start(const std::vector<InstructionIndex>& ready, const StepContext& context);
  void completed(InstructionIndex index, Status status);
  void poison_dead(State& state, InstructionIndex index);
  void poison(BufferIndex buffer);

  const program::PackedProgram& program_;
  DeviceRuntime& runtime_;
  std::span<std::byte> arena_;
  Poison poison_;
  std::vector<std::uint32_t> uses_;
  Guarded<State> state_;
};

}  // namespace frenzy::executor
