#pragma once
// DeviceRuntime: starts one instruction of a program on a device and says when it is done. The
// interpreter above it is the same for every backend; cpu, cuda and simulated runtimes stand below.

#include <functional>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::executor {

/// What changes from step to step: the program itself does not.
struct StepContext {
  Step step;                    ///< state before it
  double learning_rate = 0.0;
};

using InstructionDone = std::function<void(Status)>;

class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  /// Starts instruction `index` of the program that the runtime was made for. All its predecessors
  /// are complete. `done` runs once, on any thread, never inside the call.
  virtual void start(InstructionIndex index, const StepContext& context, InstructionDone done) = 0;
};

}  // namespace frenzy::executor
