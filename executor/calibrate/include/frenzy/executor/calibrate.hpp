#pragma once
// Calibration: what a device can do, measured with the kernels that will run and through the
// device's own pacing, so that a virtual device measures as slow as it will be.

#include "frenzy/base/clock.hpp"
#include "frenzy/executor/kernels.hpp"
#include "frenzy/model/calibration.hpp"

namespace frenzy::executor {

struct CalibrateOptions {
  double slowdown = 0.0;   ///< of the device; 0 = not paced
  std::chrono::milliseconds budget{300};  ///< of real time
};

/// The model whose layer is timed: small enough for any device, large enough for matrix rates.
[[nodiscard]] model::ModelSpec probe_model();

/// Times forward and backward of one layer, then optimizer passes, until the budget is used. The
/// rate is flops over occupied time: thread-CPU time x slowdown. `kernels` are made for probe_model.
[[nodiscard]] model::DeviceCost measure_device(Kernels& kernels, const Clock& clock,
                                               const CalibrateOptions& options);

/// Scratch bytes of a backend's kernels for one job: every block kind, every opcode, micro-batches of
/// 1 to most_samples sequences. `kernels` are made for the job's model and scalar.
void fill_catalogue(program::KernelCatalogue& catalogue, const Kernels& kernels,
                    std::uint32_t sequence, std::uint32_t most_samples, std::uint32_t threads);

}  // namespace frenzy::executor
