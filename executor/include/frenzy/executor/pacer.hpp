#pragma once
// Pacer: makes a CPU device as slow as its speed says. An instruction of the compute stream occupies
// the device for (thread-CPU time summed over its kernel threads) x slowdown, on absolute deadlines,
// so that lateness of one does not add to the next. An instruction that really ends later than its
// deadline plus 2 % of its length is late; more than 2 % of such void a measurement.

#include <chrono>
#include <cstdint>

#include "frenzy/base/clock.hpp"

namespace frenzy::executor {

class Pacer {
 public:
  /// slowdown 0: not paced, a deadline is the moment of asking.
  explicit Pacer(double slowdown) : slowdown_(slowdown) {}

  [[nodiscard]] bool paced() const { return slowdown_ > 0.0; }
  /// An instruction starts at `now`. If the device was due to be free just before, its occupancy
  /// starts where the last one ended, not where the thread woke up.
  void begin(TimePoint now);
  /// It used `cpu` and is over at `now`: when the device is free again.
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
