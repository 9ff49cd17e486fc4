#pragma once
// The carriers under contract.

#include "frenzy/transport/tcp_carrier.hpp"
#include "frenzy/transport/ucx_carrier.hpp"
#include "real_world.hpp"
#include "simulated_world.hpp"

namespace frenzy::transport::test {

struct Simulated {
  static constexpr const char* kCarrier = "simulated";
  static constexpr int kManyPeers = 20;
  static std::unique_ptr<World> make() { return std::make_unique<SimulatedWorld>(); }
  static std::string nobody() { return "nobody:1"; }
};

inline CarrierFactory tcp_carriers() {
  return [](EventLoop& loop, Log& log) { return std::make_unique<TcpCarrier>(loop, log); };
}

struct Tcp4 {
  static constexpr const char* kCarrier = "tcp";
  static constexpr int kManyPeers = 20;
  static std::unique_ptr<World> make() {
    return std::make_unique<RealWorld>(tcp_carriers(), "127.0.0.1:0");
  }
  static std::string nobody() { return "127.0.0.1:1"; }
};

struct Tcp6 {
  static constexpr const char* kCarrier = "tcp";
  static constexpr int kManyPeers = 20;
  static std::unique_ptr<World> make() {
    return std::make_unique<RealWorld>(tcp_carriers(), "[::1]:0");
  }
  static std::string nobody() { return "[::1]:1"; }
};

struct Ucx {
  static constexpr const char* kCarrier = "ucx";
  static constexpr int kManyPeers = 20;
  static std::unique_ptr<World> make() {
    const UcxOptions options{.use = UcxUse::require};
    set_ucx_environment(options);
    return std::make_unique<RealWorld>(
        [options](EventLoop& loop, Log& log) -> std::unique_ptr<Carrier> {
          return std::move(make_ucx_carrier(loop, log, options)).value();
        },
        "127.0.0.1:0");
  }
  static std::string nobody() { return "127.0.0.1:1"; }
};

}  // namespace frenzy::transport::test

#define CARRIERS Simulated, Tcp4, Tcp6, Ucx
