// Frames of protocol version 1, as bytes. A change here breaks running clusters: it needs a new version.
#include <catch2/catch.hpp>

#include "frenzy/base/text.hpp"
#include "frenzy/codec/envelope.hpp"

namespace frenzy::codec {
namespace {

Uuid uuid(std::uint8_t first) {
  Uuid out;
  for (std::size_t i = 0; i < out.bytes.size(); ++i) out.bytes[i] = static_cast<std::uint8_t>(first + i);
  return out;
}

struct Golden {
  Envelope envelope;
  const char* frame;
};

std::vector<Golden> goldens() {
  return {
      {{.correlation = 1, .message = Heartbeat{.sequence = 5}}, "00000000090000000000000002000100010000000300000001000000000000000000000001000200"
       "05000000000000000500000007000000050000000700000000000000040001000000000001000100"},
      {{.correlation = 2, .reply = true, .message = Refused{.why = {Errc::does_not_fit, "4 MiB"}}}, "00000000070000000000000002000100010001000600000002000000000000000000000001000100"
       "0300000000000000010000003200000034204d6942000000"},
      {{.correlation = 3,
        .message = Reserve{.job = {uuid(1)}, .epoch = {2}, .incarnation = {3}, .device = {uuid(9)},
                           .bytes = {1 << 20}, .time_to_live = std::chrono::milliseconds{10'000}}},
       "000000000e0000000000000002000100010000001200000003000000000000000000000004000200"
       "02000000000000000300000000000000000010000000000010270000000000000500000082000000"
       "09000000820000000102030405060708090a0b0c0d0e0f10090a0b0c0d0e0f101112131415161718"},
      {{.message = StepReport{.job = {uuid(1)}, .epoch = {1}, .step = {7}, .loss_sum = 2.5, .tokens = 1024,
                              .norm = 0.5, .learning_rate = 0.001, .duration = Seconds{0.25},
                              .devices = {{.device = {uuid(9)}, .compute = Seconds{0.125},
                                           .samples_per_second = 8, .arena = {4096}}}}},
       "00000000170000000000000002000100010000001900000000000000000000000000000007000200"
       "0100000000000000070000000000000000000000000004400004000000000000000000000000e03f"
       "fca9f1d24d62503f000000000000d03f0500000082000000090000002f0000000102030405060708"
       "090a0b0c0d0e0f100400000004000100000000000000c03f00000000000020400010000000000000"
       "00000000000000000100000082000000090a0b0c0d0e0f101112131415161718"},
  };
}

}  // namespace

TEST_CASE("frames of protocol version 1 keep their bytes", "[codec]") {
  for (const auto& golden : goldens()) {
    const auto frame = encode(golden.envelope);
    REQUIRE(frame);
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(frame->data()), frame->size());
    CHECK(hex(bytes) == golden.frame);
    const auto back = decode(*frame);
    REQUIRE(back);
    CHECK(*back == golden.envelope);
  }
}

}  // namespace frenzy::codec
