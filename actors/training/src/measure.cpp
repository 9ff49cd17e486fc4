#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/training/training_runner.hpp"

namespace frenzy::training {

Result<codec::CalibrationReport> measure_devices(const Clock& clock, const std::vector<model::DeviceSpec>& devices) {
  codec::CalibrationReport report;
  const auto budget = std::chrono::milliseconds{800} / static_cast<int>(std::max<std::size_t>(devices.size(), 1));
  for (const auto& device : devices) {
    if (device.kind != model::DeviceKind::virtual_cpu) {
      return error(Errc::unsupported, "{} is no virtual CPU device, the only kind this version runs", device.name);
    }
    const auto kernels = executor::cpu::make_kernels(executor::probe_model(), model::Scalar::fp32, {});
    const auto cost = executor::measure_device(*kernels, clock, {.slowdown = device.slowdown, .budget = budget});
    report.devices.push_back({device.id, cost});
  }
  return report;
}

}  // namespace frenzy::training
