#include "frenzy/base/result.hpp"

#include <catch2/catch.hpp>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/base/units.hpp"

using namespace frenzy;

TEST_CASE("a result holds a value or an error that names numbers", "[base]") {
  const Result<int> good = 3;
  REQUIRE(good.ok());
  CHECK(*good == 3);
  const Result<int> bad = error(Errc::does_not_fit, "needs {}, has {}", 3_GiB, 40_MiB);
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().what == "needs 3.00 GiB, has 40.0 MiB");
  CHECK(at("device a", bad.error()).what == "device a: needs 3.00 GiB, has 40.0 MiB");
}

TEST_CASE("a UUID survives text and refuses anything else", "[base]") {
  Rng rng(7);
  for (int i = 0; i < 100; ++i) {
    const auto id = NodeId::random(rng);
    const auto again = NodeId::parse(format("{}", id));
    REQUIRE(again.ok());
    CHECK(*again == id);
  }
  CHECK_FALSE(Uuid::parse("").ok());
  CHECK_FALSE(Uuid::parse("0123456789abcdef0123456789abcdef0123").ok());
  CHECK_FALSE(Uuid::parse("01234567-89ab-cdef-0123-456789abcdeg").ok());
}
