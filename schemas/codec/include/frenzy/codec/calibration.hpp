#pragma once
// Measured costs of devices.

#include <string>
#include <vector>

#include "frenzy/model/calibration.hpp"
#include "frenzy/model/cluster_spec.hpp"

namespace frenzy::codec {

struct Calibrate {
  static constexpr const char* kName = "calibrate";
  std::vector<model::DeviceSpec> devices{};
  friend bool operator==(const Calibrate&, const Calibrate&) = default;
};

struct DeviceCalibration {
  DeviceId device{};
  model::DeviceCost cost{};
  friend bool operator==(const DeviceCalibration&, const DeviceCalibration&) = default;
};

struct CalibrationReport {
  static constexpr const char* kName = "calibrationReport";
  std::vector<DeviceCalibration> devices{};
  friend bool operator==(const CalibrationReport&, const CalibrationReport&) = default;
};

}  // namespace frenzy::codec
