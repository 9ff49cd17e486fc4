#pragma once
// Calibration: what a device can do, measured with the kernels that will run.

#include "frenzy/base/clock.hpp"
#include "frenzy/executor/kernels.hpp"
#include "frenzy/model/calibration.hpp"
#include "frenzy/model/cluster_spec.hpp"

namespace frenzy::executor {

struct CalibrateOptions {
  std::chrono::milliseconds budget{300};  ///< of real time
};

/// The model whose layer is timed: small enough for any device, large enough for matrix rates.
[[nodiscard]] model::ModelSpec probe_model();

/// Times forward and backward of one layer, then optimizer passes, until the budget is used. The
/// rate is flops over thread-CPU time, unpaced. `kernels` are made for probe_model.
[[nodiscard]] model::DeviceCost measure_device(Kernels& kernels, const Clock& clock,
                                               const CalibrateOptions& options);

/// All virtual devices of one processor from one measurement of it, so that their speeds are in the
/// exact ratio of their slowdowns: measured apart, noise would end up in the split of the work.
[[nodiscard]] model::Calibration measure_virtual_devices(Kernels& kernels, const Clock& clock,
                                                         const std::vector<model::DeviceSpec>& devices,
                                                         const CalibrateOptions& options);

/// Scratch bytes of a backend's kernels for one job: every block kind, every opcode, micro-batches of
/// 1 to most_samples sequences. `kernels` are made for the job's model and scalar.
void fill_catalogue(program::KernelCatalogue& catalogue, const Kernels& kernels,
                    std::uint32_t sequence, std::uint32_t most_samples, std::uint32_t threads);

}  // namespace frenzy::executor
