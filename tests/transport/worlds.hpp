#pragma once
// The carriers under contract.

#include "simulated_world.hpp"

namespace frenzy::transport::test {

struct Simulated {
  static constexpr const char* kCarrier = "simulated";
  static constexpr int kManyPeers = 20;
  static std::unique_ptr<World> make() { return std::make_unique<SimulatedWorld>(); }
  static std::string nobody() { return "nobody:1"; }
};

}  // namespace frenzy::transport::test

#define CARRIERS Simulated
