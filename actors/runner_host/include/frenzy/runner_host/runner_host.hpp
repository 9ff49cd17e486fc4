#pragma once
// RunnerHost: how a node starts, commands and kills the runners of jobs. A runner executes one job's
// programs on this node's devices; it is a child process in production, an object in this process when
// embedded or simulated. The node never opens a device itself.

#include <functional>
#include <memory>
#include <vector>

#include "frenzy/base/tasks.hpp"
#include "frenzy/codec/envelope.hpp"
#include "frenzy/model/cluster_spec.hpp"

namespace frenzy::runner_host {

/// One runner a job and node.
struct RunnerKey {
  JobId job{};
  Epoch epoch{};
  friend auto operator<=>(const RunnerKey&, const RunnerKey&) = default;
};

/// What a runner says: RunnerReady, StepReport, Held, StateSaved, SaveFailed, Heartbeat (its pulse), and last,
/// exactly once, RunnerEnded. Runs on the loop.
using RunnerSink = std::function<void(codec::Message)>;

/// Thread: the loop.
class RunnerHost {
 public:
  virtual ~RunnerHost() = default;
  /// Failures come through the sink as RunnerEnded.
  virtual void start(const codec::LaunchRunner& task, RunnerSink sink) = 0;
  /// ConnectRunners, StartJob, HoldJob or SaveState. A runner that is gone is no error: its end was told.
  virtual void send(const RunnerKey& runner, const codec::Message& message) = 0;
  /// RunnerEnded follows, once its memory is free.
  virtual void kill(const RunnerKey& runner) = 0;
  /// Measures devices with a runner that is gone afterwards.
  virtual void calibrate(const std::vector<model::DeviceSpec>& devices,
                         std::function<void(Result<codec::CalibrationReport>)> done) = 0;
};

/// The body of a runner, whatever process it is in. Destroying it stops it at once.
/// Thread: the loop it was made with.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void message(const codec::Message& message) = 0;
};

/// Makes the body; it may call the sink at once or later, never after it is destroyed.
using MakeRunner = std::function<std::unique_ptr<Runner>(const codec::LaunchRunner&, RunnerSink)>;
using Calibration = std::function<Result<codec::CalibrationReport>(const std::vector<model::DeviceSpec>&)>;

/// Runners as objects of this process. `tasks` outlives it.
[[nodiscard]] std::unique_ptr<RunnerHost> make_in_process_host(Tasks& tasks, MakeRunner make, Calibration calibrate);

}  // namespace frenzy::runner_host
