#include <catch2/catch.hpp>

#include "frenzy/training/injected_fault.hpp"

namespace frenzy::training {

TEST_CASE("a fault names a device, a step and an instruction", "[training]") {
  const auto fault = parse_fault("cpu1:7:backward");
  REQUIRE(fault.ok());
  CHECK(fault->device == "cpu1");
  CHECK(fault->faults.fail_at_step == 7);
  CHECK(fault->faults.fail_opcode == program::Opcode::backward);
  CHECK(parse_fault("cpu0:1").value().faults.fail_opcode == program::Opcode::forward);
}

TEST_CASE("a text that is no fault is refused by name", "[training]") {
  for (const auto* text : {"", "cpu0", "cpu0:", "cpu0:0", "cpu0:x", "cpu0:7:", "cpu0:7:dance", ":7", "cpu0:7:forward:1"}) {
    const auto refused = parse_faults({"cpu0:1", text});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Errc::invalid_argument);
    CHECK(refused.error().what.find(format("fault '{}' is not", std::string_view(text))) == 0);
  }
}

TEST_CASE("a fault strikes the device it names and no other", "[training]") {
  const auto faults = parse_faults({"cpu1:7"}).value();
  CHECK(faults_of(faults, "n1/cpu1").fail_at_step == 7);
  CHECK(faults_of(faults, "n1/cpu10").fail_at_step == 0);
  CHECK(faults_of(faults, "n1/cpu0").fail_at_step == 0);
}

}  // namespace frenzy::training
