#pragma once
// JobRunner: what one runner process does for one job: the programs of its local devices, from their
// admission to the last step. Devices do not wait for anybody between steps but for each other,
// inside the collectives. It knows no actor and no message: its owner turns messages into these calls
// and events into messages.
//
// Stopping at one step everywhere: hold() every runner, take the largest step that any has started,
// run_to() it; then all state is at that step exactly.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frenzy/executor/device_run.hpp"
#include "frenzy/executor/saving.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::executor {

/// A local device of the job.
struct RunnerDevice {
  program::PackedProgram program;  ///< its rank is the device's
  std::string name;
  Bytes memory_limit{UINT64_MAX};
  double slowdown = 0.0;
  std::uint32_t threads = 1;
  Faults faults;
};

struct DeviceRow {
  Rank rank;
  Seconds elapsed{};
  Seconds busy{};
  std::uint64_t late_instructions = 0, instructions = 0;
};

/// One step, complete on every local device.
struct RunnerStep {
  Step step;  ///< state after it
  double loss_sum = 0.0, tokens = 0.0, gradient_norm = 0.0, learning_rate = 0.0;
  std::vector<DeviceRow> devices;
};

/// Where the local device that is furthest behind stands.
struct Doing {
  InstructionIndex instruction;
  bool waits = false;  ///< for other devices: a collective
  std::string text;    ///< "n1/cpu0: backward of layer 3 (instruction 17 of step 48)"
};

/// Thread: callbacks come from stream threads, one at a time.
class JobRunnerEvents {
 public:
  virtual ~JobRunnerEvents() = default;
  virtual void step_done(const RunnerStep& row) = 0;
  /// Every local device stands at `step` and starts nothing: the last step, or the one of run_to.
  virtual void reached(Step step) = 0;
  /// What all local devices own at `step`, while they step on. The next comes only after saved(). Never
  /// without copy_every.
  virtual void copied(Step, std::vector<StateCopy>) {}
  /// A device failed; the runner starts nothing any more. Once.
  virtual void failed(const Error& why) = 0;
};

using MakeKernels = std::function<Result<std::unique_ptr<Kernels>>(
    const model::ModelSpec&, model::Scalar, std::uint32_t threads)>;
using ExchangeOf = std::function<std::unique_ptr<Exchange>(Rank)>;

struct JobRunnerParts {
  const Clock* clock = nullptr;
  Samples* samples = nullptr;
  MakeKernels make_kernels;
  MakeRuntime make_runtime = make_threaded_runtime;
  Poison poison = Poison::no;
  ExchangeOf exchange_of;
  JobRunnerEvents* events = nullptr;
  std::uint64_t copy_every = 0;  ///< steps; 0 = never
};

/// Thread: any, but the destructor waits for running instructions: not from a callback.
class JobRunner {
 public:
  /// Takes the arenas; state is undefined until initialise() or a load. At least one device.
  /// Errors: does_not_fit, naming the device.
  [[nodiscard]] static Result<std::unique_ptr<JobRunner>> create(std::vector<RunnerDevice> devices,
                                                                 const JobRunnerParts& parts);
  virtual ~JobRunner() = default;

  /// State of step 0, from the recipe's seed.
  virtual void initialise() = 0;
  /// The devices' state in the order given, for save and load; only while nothing runs.
  [[nodiscard]] virtual std::vector<State*> states() = 0;

  /// Steps from state `from` to the recipe's last step.
  virtual void start(Step from) = 0;
  /// Starts no further step; the largest step that a local device has reached or is making.
  virtual Step hold() = 0;
  /// Steps on to exactly `step` (not below what hold() said), then `reached`.
  virtual void run_to(Step step) = 0;
  /// The last copy is written, or has failed: a step that falls due may be copied again. Steps that fall
  /// due while one is being written are left out.
  virtual void saved() = 0;
  /// Instructions completed, over all local devices: grows while something moves.
  [[nodiscard]] virtual std::uint64_t progress() = 0;
  /// None between steps.
  [[nodiscard]] virtual std::optional<Doing> doing() = 0;
};

}  // namespace frenzy::executor
