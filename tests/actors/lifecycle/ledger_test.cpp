#include <catch2/catch.hpp>

#include "frenzy/base/rng.hpp"
#include "frenzy/lifecycle/ledger.hpp"
#include "job_fixture.hpp"

namespace frenzy::lifecycle {
namespace {
constexpr auto kSecond = std::chrono::seconds{1};
TimePoint at(int seconds) { return TimePoint{} + seconds * kSecond; }
const auto kJob = numbered<JobId>(1);
const auto kOther = numbered<JobId>(2);
}  // namespace

TEST_CASE("a ledger gives no more than it has and says what is missing", "[lifecycle]") {
  Ledger ledger("cpu0", 10_MiB);
  CHECK(*ledger.reserve(kJob, {1}, 6_MiB, at(0), kSecond) == 4_MiB);
  const auto refused = ledger.reserve(kOther, {1}, 5_MiB, at(0), kSecond);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::does_not_fit);
  CHECK(refused.error().what.find("cpu0 has 4.00 MiB of 10.0 MiB free") == 0);
}

TEST_CASE("the same job and epoch reserves once", "[lifecycle]") {
  Ledger ledger("cpu0", 10_MiB);
  CHECK(ledger.reserve(kJob, {1}, 6_MiB, at(0), kSecond));
  CHECK(*ledger.reserve(kJob, {1}, 6_MiB, at(0), kSecond) == 4_MiB);
  CHECK(ledger.reserve(kJob, {1}, 7_MiB, at(0), kSecond).error().code == Errc::conflict);
  CHECK(*ledger.reserve(kJob, {2}, 9_MiB, at(0), kSecond) == 1_MiB);
  CHECK(ledger.reserve(kJob, {1}, 6_MiB, at(0), kSecond).error().code == Errc::conflict);
}

TEST_CASE("a reservation ends with its time unless it was made firm", "[lifecycle]") {
  Ledger ledger("cpu0", 10_MiB);
  CHECK(ledger.reserve(kJob, {1}, 6_MiB, at(0), kSecond));
  CHECK(ledger.reserve(kOther, {1}, 4_MiB, at(0), kSecond));
  CHECK(ledger.make_firm(kJob, {1}, at(0)));
  CHECK(ledger.expire(at(1)).size() == 1);
  CHECK(ledger.held() == 6_MiB);
  CHECK(ledger.make_firm(kOther, {1}, at(1)).error().code == Errc::not_found);
  ledger.release(kJob, {1});
  CHECK(ledger.held() == 0_MiB);
}

TEST_CASE("a late release of an old epoch leaves the new one", "[lifecycle]") {
  Ledger ledger("cpu0", 10_MiB);
  CHECK(ledger.reserve(kJob, {2}, 6_MiB, at(0), kSecond));
  ledger.release(kJob, {1});
  CHECK(ledger.held() == 6_MiB);
}

TEST_CASE("whatever is asked of it, a ledger never holds more than its capacity", "[lifecycle]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    Ledger ledger("cpu0", 100_B);
    int now = 0;
    for (int i = 0; i < 200; ++i) {
      const auto job = numbered<JobId>(static_cast<std::uint8_t>(rng.below(4)));
      const Epoch epoch{rng.below(3)};
      switch (rng.below(4)) {
        case 0: (void)ledger.reserve(job, epoch, Bytes{rng.below(120)}, at(now), kSecond * rng.below(4)); break;
        case 1: (void)ledger.make_firm(job, epoch, at(now)); break;
        case 2: ledger.release(job, epoch); break;
        default: (void)ledger.expire(at(++now)); break;
      }
      REQUIRE(ledger.held() <= ledger.capacity());
    }
    for (const auto& entry : ledger.entries()) ledger.release(entry.job, entry.epoch);
    REQUIRE(ledger.held() == 0_B);
  }
}

}  // namespace frenzy::lifecycle
