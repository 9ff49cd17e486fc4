// The bytes on the wire. A change here is a change of the protocol version.
#include "frenzy/transport/frame.hpp"

#include <catch2/catch.hpp>

#include <numeric>

#include "frenzy/base/rng.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/transport/handshake_packets.hpp"

using namespace frenzy;
using namespace frenzy::transport;

namespace {

std::string hex_of(std::span<const std::byte> bytes) {
  return hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

template <std::size_t N>
std::array<std::uint8_t, N> counting(std::uint8_t from) {
  std::array<std::uint8_t, N> out{};
  std::iota(out.begin(), out.end(), from);
  return out;
}

}  // namespace

TEST_CASE("a frame header has the bytes of protocol 1", "[frame]") {
  FrameHeader h{.kind = FrameKind::fragment, .seal = 2, .payload_bytes = 0x01020304,
                .first = 0x1112131415161718, .second = 5, .offset = 0x100000, .total = 0x500003};
  h.payload_tag.fill(std::byte{0xab});
  CHECK(hex_of(encode(h)) ==
        "04020000" "04030201" "1817161514131211" "0500000000000000" "0000100000000000"
        "0300500000000000" "abababababababababababababababab");
  CHECK(decode_frame_header(encode(h)).value() == h);
}

TEST_CASE("a frame prefix has the bytes of protocol 1 and bounds its payload", "[frame]") {
  std::array<std::byte, kPrefixBytes> out{};
  encode(FramePrefix{0x100000, 9}, out);
  CHECK(hex_of(out) == "46525a46" "00001000" "0900000000000000");
  CHECK(decode_frame_prefix(out).value().counter == 9);
  encode(FramePrefix{0x100001, 9}, out);
  const auto refused = decode_frame_prefix(out);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().what.find("1048577") != std::string::npos);
  out[0] = std::byte{0};
  CHECK_FALSE(decode_frame_prefix(out).ok());
  CHECK_FALSE(decode_frame_prefix(std::span(out).first(15)).ok());
}

TEST_CASE("frame headers with unknown kinds, seals or flags are refused", "[frame]") {
  auto bytes = encode(FrameHeader{.kind = FrameKind::message});
  for (const auto& [place, value] : {std::pair{0, 0}, {0, 9}, {1, 4}, {2, 1}, {3, 255}}) {
    auto copy = bytes;
    copy[static_cast<std::size_t>(place)] = static_cast<std::byte>(value);
    CHECK_FALSE(decode_frame_header(copy).ok());
  }
  CHECK_FALSE(decode_frame_header(std::span(bytes).first(55)).ok());
}

TEST_CASE("a hello has the bytes of protocol 1", "[frame]") {
  Hello hello;
  hello.version = 1;
  hello.ciphers = 3;
  hello.key_id = counting<8>(0x10);
  hello.target.bytes = counting<16>(0x20);
  hello.ephemeral = counting<32>(0x40);
  hello.nonce = counting<32>(0x60);
  hello.mac = counting<32>(0x80);
  const auto bytes = encode(hello);
  REQUIRE(bytes.size() == kHelloBytes);
  CHECK(hex_of(bytes) == "46525a4801000103" "1011121314151617" + hex(hello.target.bytes) +
                             hex(hello.ephemeral) + hex(hello.nonce) + hex(hello.mac));
  const auto again = decode_hello(bytes);
  REQUIRE(again.ok());
  CHECK(again->key_id == hello.key_id);
  CHECK(again->mac == hello.mac);
  CHECK_FALSE(decode_hello(std::span(bytes).first(127)).ok());
}

TEST_CASE("an identity has the bytes of protocol 1 and bounds its offer", "[frame]") {
  Identity identity{Role::runner, BodySeal::clear, 500, Uuid{counting<16>(1)}, counting<32>(0x40),
                    {std::byte{0xaa}, std::byte{0xbb}}};
  const auto bytes = encode(identity);
  CHECK(hex_of(bytes) == "03030000" "f4010000" + hex(identity.uuid.bytes) +
                             hex(identity.public_key) + "0200" "aabb");
  REQUIRE(decode_identity(bytes).ok());
  CHECK(decode_identity(bytes)->offer == identity.offer);
  auto longer = bytes;
  longer.push_back(std::byte{0});
  CHECK_FALSE(decode_identity(longer).ok());
  auto role = bytes;
  role[0] = std::byte{5};
  CHECK_FALSE(decode_identity(role).ok());
  auto hasty = bytes;
  hasty[4] = std::byte{1};
  hasty[5] = std::byte{0};
  CHECK_FALSE(decode_identity(hasty).ok());
}

TEST_CASE("an alert shows only printable text of its own length", "[frame]") {
  const auto bytes = encode(Alert{1, AlertCode::not_admitted, "no\x1b[31m entry"});
  CHECK(hex_of(bytes).starts_with("46525a4801000303" "0d00"));
  const auto alert = decode_alert(bytes);
  REQUIRE(alert.ok());
  CHECK(alert->text == "no.[31m entry");
  CHECK_FALSE(decode_alert(std::span(bytes).first(bytes.size() - 1)).ok());
}

TEST_CASE("decoders survive a million random bytes", "[frame]") {
  Rng rng(11);
  std::vector<std::byte> bytes(300);
  for (int round = 0; round < 4000; ++round) {
    for (auto& b : bytes) b = static_cast<std::byte>(rng.next() & 0xffU);
    const auto some = std::span(bytes).first(rng.below(bytes.size() + 1));
    (void)decode_frame_header(some);
    (void)decode_frame_prefix(some);
    (void)decode_hello(some);
    (void)decode_identity(some);
    (void)decode_alert(some);
  }
  SUCCEED("no crash");
}
