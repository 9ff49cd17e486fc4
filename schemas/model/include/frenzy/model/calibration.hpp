#pragma once
// Measured costs of devices: what planner, balancer and queue read. One inventory, one place.

#include <map>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy::model {

struct DeviceCost {
  FlopsPerSecond matrix_rate{};       ///< fp32, measured through the device's own pacing
  BytesPerSecond memory_bandwidth{};  ///< optimizer-like streams
  Bytes fixed{};                      ///< memory taken before any program: context, libraries
  friend bool operator==(const DeviceCost&, const DeviceCost&) = default;
};

struct Calibration {
  std::map<DeviceId, DeviceCost> devices;
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace frenzy::model
