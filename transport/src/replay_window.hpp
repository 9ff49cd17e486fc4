#pragma once
// Which frame counters have been seen: the newest and the kWindow before it. Older ones count as
// seen, so a frame can be accepted at most once however frames overtake each other.

#include <bitset>
#include <cstdint>

namespace frenzy::transport {

class ReplayWindow {
 public:
  static constexpr std::uint64_t kWindow = 1024;

  [[nodiscard]] bool fresh(std::uint64_t counter) const {
    if (counter >= next_) return true;
    if (next_ - counter > kWindow) return false;
    return !seen_.test(counter % kWindow);
  }
  /// Only after the seal was verified: a forged counter must not move the window.
  void mark(std::uint64_t counter) {
    if (counter >= next_) {
      const auto jump = counter - next_;
      if (jump >= kWindow) seen_.reset();
      for (std::uint64_t i = 0; jump < kWindow && i < jump; ++i) seen_.reset((next_ + i) % kWindow);
      next_ = counter + 1;
    }
    seen_.set(counter % kWindow);
  }

 private:
  std::uint64_t next_ = 0;
  std::bitset<kWindow> seen_;
};

}  // namespace frenzy::transport
