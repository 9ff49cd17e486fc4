#pragma once
// Keeps strangers from the data ports that UCX opens: a socket filter on each of its listening
// sockets lets only packets from hosts pass that have authenticated at our gate. UCX itself aborts,
// or lets memory be written, on crafted bytes. Thread: the loop's.

#include <linux/filter.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "frenzy/base/result.hpp"

namespace frenzy::transport {

/// Listening sockets of this process, sorted.
[[nodiscard]] std::vector<int> listening_sockets();

class ListenerGuard {
 public:
  /// About 500 hosts of IPv4 or 110 of IPv6; the kernel's optmem_max may be as low as 20 KiB.
  static constexpr std::size_t kMaxInstructions = 1024;

  /// Closes `sockets` to everybody. Errors: io.
  [[nodiscard]] Status protect(std::vector<int> sockets);
  /// Counted: allow twice, forbid twice. `address` is numeric with port. Errors: exhausted, io.
  [[nodiscard]] Status allow(const std::string& address);
  void forbid(const std::string& address);

 private:
  struct Host {
    int family = 0;
    std::array<unsigned char, 16> bytes{};
    friend auto operator<=>(const Host&, const Host&) = default;
  };
  [[nodiscard]] static Result<Host> host_of(const std::string& address);
  [[nodiscard]] std::vector<sock_filter> program() const;
  [[nodiscard]] Status attach();

  std::vector<int> sockets_;
  std::map<Host, int> hosts_;
};

}  // namespace frenzy::transport
