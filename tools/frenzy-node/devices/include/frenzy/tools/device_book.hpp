#pragma once
// The book of a node's devices: which described device has which UUID and name. It is a file in the
// node's state directory, so that a device is the same after a restart, in whatever order the command
// line names them; a device that is described otherwise is another one. Devices described alike are told
// apart by their order, which cannot matter. One line a device: UUID NAME BYTES SLOWDOWN.

#include <string>
#include <vector>

#include "frenzy/base/files.hpp"
#include "frenzy/model/cluster_spec.hpp"

namespace frenzy {
class Rng;
}

namespace frenzy::tools {

struct KnownDevice {
  DeviceId id{};
  std::string name{};  ///< "cpu0": without the node's
  Bytes memory{};
  double slowdown = 0;
  friend bool operator==(const KnownDevice&, const KnownDevice&) = default;
};

inline constexpr std::size_t kRememberedDevices = 64;  ///< that the node does not offer now, at most

/// Gives every device an id and a name. The new book: these devices, then the absent ones. Pure.
[[nodiscard]] std::vector<KnownDevice> identify(std::vector<model::DeviceSpec>& devices, const std::string& node,
                                                const std::vector<KnownDevice>& book, Rng& rng);

/// The same with the book in `path`, written if it changed. Errors: corrupt, naming the line; io.
[[nodiscard]] Status identify(std::vector<model::DeviceSpec>& devices, const std::string& node, Files& files,
                              const std::string& path, Rng& rng);

}  // namespace frenzy::tools
