#include <catch2/catch.hpp>

#include "frenzy/training/stuck_watch.hpp"

namespace frenzy::training {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Observes every half second.
struct Pulses {
  StuckWatch watch;
  TimePoint now{seconds{1000}};
  std::uint64_t progress = 1;

  bool stands(std::chrono::nanoseconds time, bool waits = false) {
    bool stuck = false;
    for (std::chrono::nanoseconds past{}; past < time; past += milliseconds{500}) {
      now += milliseconds{500};
      stuck = watch.observe(progress, waits, now);
    }
    return stuck;
  }
};

}  // namespace

TEST_CASE("what stands longer than the limit is stuck, and its age is known", "[training]") {
  Pulses p;
  CHECK_FALSE(p.stands(seconds{100}));
  CHECK(p.stands(seconds{2}));
  CHECK(p.watch.age() > seconds{100});
  ++p.progress;
  CHECK_FALSE(p.stands(seconds{50}));
}

TEST_CASE("who only waits for others is given longer than the one who hangs", "[training]") {
  Pulses p;
  CHECK_FALSE(p.stands(seconds{110}, true));
  CHECK(p.stands(seconds{10}, true));
}

TEST_CASE("a device whose instructions take long is slow, not stuck", "[training]") {
  Pulses p;
  CHECK_FALSE(p.stands(seconds{60}));
  ++p.progress;
  CHECK_FALSE(p.stands(seconds{500}));
  CHECK(p.stands(seconds{150}));
}

TEST_CASE("a watch that was itself stopped starts anew", "[training]") {
  Pulses p;
  CHECK_FALSE(p.stands(seconds{90}));
  p.now += seconds{300};
  CHECK_FALSE(p.stands(seconds{90}));
  CHECK(p.stands(seconds{20}));
}

}  // namespace frenzy::training
