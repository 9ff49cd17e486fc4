#pragma once
// HostRuntime: runs instructions on host memory with given kernels, paced as the virtual device says.
// The CPU backend in production (one thread a stream) and in simulation (streams on virtual time).

#include <memory>

#include "frenzy/base/tasks.hpp"
#include "frenzy/executor/device_runtime.hpp"

namespace frenzy::executor {

/// Thread-CPU time that an instruction is taken to have used.
using InstructionCost = std::function<std::chrono::nanoseconds(const program::Instruction&)>;

struct HostRuntimeParts {
  RuntimeParts device;
  /// compute, collective and copy_in; may be the same object. All outlive the runtime.
  Tasks* compute = nullptr;
  Tasks* collective = nullptr;
  Tasks* copy_in = nullptr;
  InstructionCost cost{};  ///< null: measured
};

class HostRuntime final : public DeviceRuntime {
 public:
  explicit HostRuntime(const HostRuntimeParts& parts);
  ~HostRuntime() override;
  HostRuntime(const HostRuntime&) = delete;
  HostRuntime& operator=(const HostRuntime&) = delete;
  HostRuntime(HostRuntime&&) = delete;
  HostRuntime& operator=(HostRuntime&&) = delete;

  void start(InstructionIndex index, const StepContext& context, InstructionDone done) override;
  [[nodiscard]] const StepMeasure& measure() const override;
  [[nodiscard]] Occupancy occupancy() const override;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// One thread a stream.
[[nodiscard]] std::unique_ptr<DeviceRuntime> make_threaded_runtime(const RuntimeParts& parts);

}  // namespace frenzy::executor
