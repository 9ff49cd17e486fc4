#include "frenzy/executor/pacer.hpp"

#include <algorithm>

namespace frenzy::executor {
namespace {

/// A thread that wakes this soon after a deadline was waiting for it.
constexpr auto kWakeUp = std::chrono::milliseconds{1};
constexpr int kTolerance = 50;  ///< one part in this many of an instruction's length

}  // namespace

void Pacer::begin(TimePoint now) {
  start_ = paced() && now >= free_ && now - free_ < kWakeUp ? free_ : std::max(now, free_);
}

TimePoint Pacer::end(TimePoint now, std::chrono::nanoseconds cpu) {
  ++instructions_;
  if (!paced()) {
    busy_ += now - start_;
    free_ = now;
    return now;
  }
  const auto length = std::chrono::duration_cast<std::chrono::nanoseconds>(cpu * slowdown_);
  const auto deadline = start_ + length;
  busy_ += length;
  if (now > deadline + length / kTolerance) ++late_;
  free_ = std::max(deadline, now);
  return std::max(now, free_ - std::max<std::chrono::nanoseconds>(kLead, length / kTolerance));
}

}  // namespace frenzy::executor
