#include "frenzy/executor/pacer.hpp"

#include <catch2/catch.hpp>

using namespace frenzy;
using namespace frenzy::executor;
using namespace std::chrono_literals;

TEST_CASE("an instruction occupies its device for its CPU time times the slowdown", "[executor]") {
  Pacer pacer(default_slowdown(4.0));
  const TimePoint t0(1h);
  pacer.begin(t0);
  CHECK(pacer.end(t0 + 10ms, 10ms) == t0 + 20ms - Pacer::kLead);
  // The thread woke up 100 us late: the next instruction still starts at the deadline.
  pacer.begin(t0 + 20ms + 100us);
  CHECK(pacer.end(t0 + 30ms, 10ms) == t0 + 40ms - Pacer::kLead);
  CHECK(pacer.busy() == 40ms);
  CHECK(pacer.late() == 0);
}

TEST_CASE("idle time is not occupied and lateness is counted", "[executor]") {
  Pacer pacer(2.0);
  const TimePoint t0(1h);
  pacer.begin(t0);
  (void)pacer.end(t0 + 1ms, 1ms);
  pacer.begin(t0 + 500ms);
  CHECK(pacer.end(t0 + 510ms, 10ms) == t0 + 520ms - Pacer::kLead);
  // Another process took the core: it ends after its deadline and the deadline moves.
  pacer.begin(t0 + 520ms);
  CHECK(pacer.end(t0 + 570ms, 10ms) == t0 + 570ms);
  CHECK(pacer.late() == 1);
  CHECK(pacer.instructions() == 3);
}

TEST_CASE("short instructions run ahead of their device by no more than the lead, and add up exactly", "[executor]") {
  Pacer pacer(10.0);
  const TimePoint t0(1h);
  TimePoint now = t0;
  for (int i = 0; i < 1000; ++i) {
    pacer.begin(now);
    const auto report = pacer.end(now + 20us, 20us);
    CHECK(report >= now + 20us);
    CHECK(report >= t0 + (i + 1) * 200us - Pacer::kLead);
    now = report + (report > now + 20us ? 60us : 0us);  // a nap ends late, going on at once does not
  }
  CHECK(pacer.busy() == 200ms);
  CHECK(pacer.late() == 0);
  CHECK(now <= t0 + 200ms + 60us);
}

TEST_CASE("an unpaced device is free at once", "[executor]") {
  Pacer pacer(0.0);
  const TimePoint t0(1h);
  pacer.begin(t0);
  CHECK(pacer.end(t0 + 3ms, 100ms) == t0 + 3ms);
  CHECK(pacer.busy() == 3ms);
}
