#pragma once
// What every device really holds: an arena is entered when its runtime is made and leaves when that
// goes. No part of the control plane writes or reads here, so a device granted twice shows.

#include <map>
#include <string>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy::simulation {

class DeviceWatch {
 public:
  void add_device(DeviceId device, std::string name, Bytes memory) { devices_[device] = {std::move(name), memory, {}}; }

  void enter(DeviceId device, JobId job, Bytes bytes) {
    auto& it = devices_.at(device);
    if (it.held.contains(job)) violations_.push_back(format("{} runs job {} twice", it.name, job));
    it.held[job] += bytes;
    Bytes sum;
    for (const auto& [other, held] : it.held) sum += held;
    if (sum > it.memory) {
      violations_.push_back(format("{} is granted twice: {} jobs hold {} of its {}", it.name, it.held.size(), sum, it.memory));
    }
  }
  void leave(DeviceId device, JobId job) { devices_.at(device).held.erase(job); }

  /// Arenas that live now, on all devices.
  [[nodiscard]] std::size_t arenas() const {
    std::size_t out = 0;
    for (const auto& [id, device] : devices_) out += device.held.size();
    return out;
  }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Device {
    std::string name;
    Bytes memory{};
    std::map<JobId, Bytes> held;
  };
  std::map<DeviceId, Device> devices_;
  std::vector<std::string> violations_;
};

}  // namespace frenzy::simulation
