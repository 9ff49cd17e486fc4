#pragma once
// Says once per host that its connections are refused, then keeps count: a stranger must not be
// able to fill the log. Thread: the session's loop.

#include <map>
#include <string>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/log.hpp"
#include "frenzy/base/result.hpp"

namespace frenzy::transport {

class RefusalLog {
 public:
  static constexpr auto kQuiet = std::chrono::minutes{10};  ///< one line per host and this time
  static constexpr std::size_t kMaxHosts = 256;

  RefusalLog(Log& log, const Clock& clock) : log_(log), clock_(clock) {}
  void refused(const std::string& remote, const Error& why);

 private:
  struct Host {
    TimePoint said;
    std::uint64_t kept_quiet = 0;
  };
  Log& log_;
  const Clock& clock_;
  std::map<std::string, Host> hosts_;
};

}  // namespace frenzy::transport
