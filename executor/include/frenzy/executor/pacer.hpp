#pragma once
// Pacer: makes a CPU device as slow as its speed says. An instruction of the compute stream occupies
// the device for (thread-CPU time summed over its kernel threads) x slowdown, on absolute deadlines,
// so that lateness of one does not add to the next. An instruction that really ends later than its
// deadline plus 2 % of its length is late; more than 2 % of such void a measurement.
//
// A device may run a little ahead of its own clock, by kLead or 2 % of the instruction's length if that is
// more: the next instruction is at hand when the one before is due, however long a thread takes to wake
// up, and instructions shorter than that need no nap. The lead does not add up: deadlines follow from
// occupied time alone.

#include <chrono>
#include <cstdint>

#include "frenzy/base/clock.hpp"

namespace frenzy::executor {

class Pacer {
 public:
  /// slowdown 0: not paced, a deadline is the moment of asking.
  explicit Pacer(double slowdown) : slowdown_(slowdown) {}

  [[nodiscard]] bool paced() const { return slowdown_ > 0.0; }
  /// More than a thread's wake-up from a timer takes on an idle core.
  static constexpr std::chrono::microseconds kLead{500};

  /// An instruction starts at `now`. If the device was due to be free just before or will be soon, its
  /// occupancy starts where the last one ended, not where the thread woke up.
  void begin(TimePoint now);
  /// It used `cpu` and is over at `now`: when it may be reported, a lead before the device is free again.
  [[nodiscard]] TimePoint end(TimePoint now, std::chrono::nanoseconds cpu);

  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  [[nodiscard]] std::uint64_t late() const { return late_; }
  /// Occupied time so far.
  [[nodiscard]] std::chrono::nanoseconds busy() const { return busy_; }

 private:
  double slowdown_;
  TimePoint start_{};
  TimePoint free_{};
  std::uint64_t instructions_ = 0, late_ = 0;
  std::chrono::nanoseconds busy_{};
};

/// Speed 1 is an eighth of a core.
[[nodiscard]] constexpr double default_slowdown(double speed) { return 8.0 / speed; }

}  // namespace frenzy::executor
