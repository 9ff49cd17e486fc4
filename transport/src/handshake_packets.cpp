#include "frenzy/transport/handshake_packets.hpp"

#include <algorithm>
#include <cstring>

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/transport/carrier.hpp"

namespace frenzy::transport {

namespace {

void write_head(ByteWriter& out, std::uint16_t version, PacketKind kind, std::uint8_t extra) {
  out.write(kHandshakeMagic);
  out.write(version);
  out.write(static_cast<std::uint8_t>(kind));
  out.write(extra);
}

template <std::size_t N>
void write_array(ByteWriter& out, const std::array<std::uint8_t, N>& bytes) {
  out.write(std::as_bytes(std::span(bytes)));
}

template <std::size_t N>
std::array<std::uint8_t, N> read_array(ByteReader& in) {
  std::array<std::uint8_t, N> out{};
  const auto from = in.take(N);
  if (!from.empty()) std::memcpy(out.data(), from.data(), N);
  return out;
}

}  // namespace

Result<PacketHead> decode_packet_head(std::span<const std::byte> packet) {
  ByteReader in(packet);
  const auto magic = in.read<std::uint32_t>();
  PacketHead out;
  out.version = in.read<std::uint16_t>();
  const auto kind = in.read<std::uint8_t>();
  out.extra = in.read<std::uint8_t>();
  if (in.failed() || magic != kHandshakeMagic || kind < 1 || kind > 3) {
    return error(Errc::corrupt, "bytes that are not a Frenzy handshake");
  }
  out.kind = static_cast<PacketKind>(kind);
  return out;
}

std::vector<std::byte> encode(const Hello& hello) {
  ByteWriter out;
  write_head(out, hello.version, PacketKind::hello, hello.ciphers);
  write_array(out, hello.key_id);
  write_array(out, hello.target.bytes);
  write_array(out, hello.ephemeral);
  write_array(out, hello.nonce);
  write_array(out, hello.mac);
  return out.take();
}

Result<Hello> decode_hello(std::span<const std::byte> packet) {
  const auto head = decode_packet_head(packet);
  if (!head) return head.error();
  if (head->kind != PacketKind::hello || packet.size() != kHelloBytes) {
    return error(Errc::corrupt, "expected a hello, got packet kind {} of {} bytes",
                 static_cast<unsigned>(head->kind), packet.size());
  }
  ByteReader in(packet.subspan(kPacketHead));
  Hello out;
  out.version = head->version;
  out.ciphers = head->extra;
  out.key_id = read_array<8>(in);
  out.target.bytes = read_array<16>(in);
  out.ephemeral = read_array<32>(in);
  out.nonce = read_array<32>(in);
  out.mac = read_array<32>(in);
  return out;
}

std::vector<std::byte> identity_head(std::uint16_t version) {
  ByteWriter out;
  write_head(out, version, PacketKind::identity, 0);
  return out.take();
}

std::vector<std::byte> encode(const Identity& identity) {
  FRENZY_CHECK(identity.offer.size() <= kMaxOffer);
  ByteWriter out;
  out.write(static_cast<std::uint8_t>(identity.role));
  out.write(static_cast<std::uint8_t>(identity.body_seal));
  out.write(std::uint16_t{0});
  out.write(identity.heartbeat_ms);
  write_array(out, identity.uuid.bytes);
  write_array(out, identity.public_key);
  out.write(static_cast<std::uint16_t>(identity.offer.size()));
  out.write(identity.offer);
  return out.take();
}

Result<Identity> decode_identity(std::span<const std::byte> clear) {
  ByteReader in(clear);
  Identity out;
  const auto role = in.read<std::uint8_t>();
  const auto seal = in.read<std::uint8_t>();
  const auto reserved = in.read<std::uint16_t>();
  out.heartbeat_ms = in.read<std::uint32_t>();
  out.uuid.bytes = read_array<16>(in);
  out.public_key = read_array<32>(in);
  const auto offer_bytes = in.read<std::uint16_t>();
  if (in.failed() || offer_bytes > kMaxOffer || in.left() != offer_bytes || reserved != 0) {
    return error(Errc::corrupt, "identity of {} bytes is malformed", clear.size());
  }
  if (role < 1 || role > 4) return error(Errc::corrupt, "unknown role {}", role);
  if (seal < 1 || seal > 3) return error(Errc::corrupt, "unknown body seal {}", seal);
  if (out.heartbeat_ms < 20 || out.heartbeat_ms > 60'000) {
    return error(Errc::corrupt, "heartbeat of {} ms, allowed are 20 to 60000", out.heartbeat_ms);
  }
  out.role = static_cast<Role>(role);
  out.body_seal = static_cast<BodySeal>(seal);
  const auto offer = in.take(offer_bytes);
  out.offer.assign(offer.begin(), offer.end());
  return out;
}

std::vector<std::byte> encode(const Alert& alert) {
  ByteWriter out;
  write_head(out, alert.version, PacketKind::alert, static_cast<std::uint8_t>(alert.code));
  const auto length = std::min(alert.text.size(), kMaxAlertText);
  out.write(static_cast<std::uint16_t>(length));
  out.write(bytes_of(std::string_view(alert.text).substr(0, length)));
  return out.take();
}

Result<Alert> decode_alert(std::span<const std::byte> packet) {
  const auto head = decode_packet_head(packet);
  if (!head) return head.error();
  ByteReader in(packet.subspan(kPacketHead));
  const auto length = in.read<std::uint16_t>();
  const auto text = in.take(length);
  if (head->kind != PacketKind::alert || in.failed() || length > kMaxAlertText ||
      head->extra < 1 || head->extra > 7) {
    return error(Errc::corrupt, "malformed alert of {} bytes", packet.size());
  }
  return Alert{head->version, static_cast<AlertCode>(head->extra),
               printable(text_of(text), kMaxAlertText)};
}

}  // namespace frenzy::transport
