#pragma once
// ChildProcess: a child with two sockets to its parent, that dies with it. The child sees them as
// descriptors 3 (control, a stream) and 4 (passed sockets, packets); every other one is closed.

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/transport/unique_fd.hpp"

namespace frenzy::child_runner {

inline constexpr int kControlDescriptor = 3;
inline constexpr int kPassedDescriptor = 4;

/// Thread: one at a time; `wait` blocks.
class ChildProcess {
 public:
  /// Errors: io, exhausted (descriptors, processes).
  [[nodiscard]] static Result<std::unique_ptr<ChildProcess>> start(const std::string& program,
                                                                   const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&&) = delete;
  ChildProcess& operator=(ChildProcess&&) = delete;

  [[nodiscard]] transport::UniqueFd take_control() { return std::move(control_); }
  [[nodiscard]] int passed() const { return passed_.get(); }
  /// SIGKILL.
  void kill();
  /// Waits for its end, and says how it was: "exit code 1", "signal 9".
  [[nodiscard]] std::string wait();

 private:
  ChildProcess() = default;
  pid_t pid_ = -1;
  transport::UniqueFd control_, passed_;
};

}  // namespace frenzy::child_runner
