#pragma once
// StuckWatch: does a runner still move? Fed with its progress at every pulse. Pure.
//
// Stuck is what does not move for kStuck, or ten times as long as anything took before, whatever is more:
// a slow device is not a hung one. Who only waits for others is given longer, so that the one who hangs is
// named and not those who wait for it. A watch that was itself late (its process was stopped) starts anew.

#include <algorithm>

#include "frenzy/base/clock.hpp"

namespace frenzy::training {

class StuckWatch {
 public:
  static constexpr auto kStuck = std::chrono::seconds{100};
  static constexpr auto kWaits = std::chrono::seconds{15};
  static constexpr auto kLate = std::chrono::seconds{2};

  /// `progress` is the count of what is done; `waits`: for other devices only. True if it is stuck.
  [[nodiscard]] bool observe(std::uint64_t progress, bool waits, TimePoint now) {
    const bool late = now - seen_ > kLate;
    if (progress != progress_ || late) {
      if (!late) longest_ = std::max(longest_, now - moved_);
      progress_ = progress;
      moved_ = now;
    }
    seen_ = now;
    const std::chrono::nanoseconds limit = std::max<std::chrono::nanoseconds>(kStuck, 10 * longest_);
    return age() > limit + (waits ? std::chrono::nanoseconds{kWaits} : std::chrono::nanoseconds{});
  }
  /// How long nothing has moved, as of the last observation.
  [[nodiscard]] std::chrono::nanoseconds age() const { return seen_ - moved_; }

 private:
  std::uint64_t progress_ = 0;
  TimePoint seen_{}, moved_{};
  std::chrono::nanoseconds longest_{};
};

}  // namespace frenzy::training
