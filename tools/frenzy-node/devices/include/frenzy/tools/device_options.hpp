#pragma once
// Devices of a node as its command line describes them.

#include <string>
#include <vector>

#include "frenzy/model/cluster_spec.hpp"

namespace frenzy::tools {

/// "512MiB:2" is a virtual device with 512 MiB and speed 2 (speed 1 is an eighth of a core; 0 is as
/// fast as the machine); "1GiB" has speed 1. No text at all is one device
/// with half the machine's memory and speed 0. Without ids and names: see device_book.hpp.
[[nodiscard]] Result<std::vector<model::DeviceSpec>> parse_devices(const std::vector<std::string>& texts);

}  // namespace frenzy::tools
