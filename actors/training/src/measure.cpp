#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/training/training_runner.hpp"

namespace frenzy::training {

Result<codec::CalibrationReport> measure_devices(const Clock& clock, const std::vector<model::DeviceSpec>& devices) {
  for (const auto& device : devices) {
    if (device.kind != model::DeviceKind::virtual_cpu) {
      return error(Errc::unsupported, "{} is no virtual CPU device, the only kind this version runs", device.name);
    }
  }
  const auto kernels = executor::cpu::make_kernels(executor::probe_model(), model::Scalar::fp32, {});
  const auto measured = executor::measure_virtual_devices(*kernels, clock, devices,
                                                          {.budget = std::chrono::milliseconds{800}});
  codec::CalibrationReport report;
  for (const auto& device : devices) report.devices.push_back({device.id, measured.devices.at(device.id)});
  return report;
}

}  // namespace frenzy::training
