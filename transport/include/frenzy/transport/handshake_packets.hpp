#pragma once
// Packets of the handshake. Little-endian, bounded, safe to decode from strangers.
//
// Every packet starts with the same 8 bytes in all protocol versions:
//   0 4 kHandshakeMagic   4 2 version   6 1 kind   7 1 ciphers (hello), code (alert), else 0
// hello  (128): 8 key id | 16 target | 32 ephemeral | 32 nonce | 32 mac under the admission key
// identity    : sealed {1 role, 1 body seal, 2 zero, 4 heartbeat ms, 16 uuid, 32 identity key,
//               2 offer length, offer} | 16 tag | 32 proof of the identity key
// alert       : 2 text length | text, not authenticated
//
// Order: hello (caller), hello (answerer), identity (caller), identity (answerer). Keys: see
// handshake.hpp.

#include <span>
#include <string>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/transport/admission.hpp"
#include "frenzy/transport/crypto.hpp"

namespace frenzy::transport {

inline constexpr std::uint32_t kHandshakeMagic = 0x485a5246;  // "FRZH"
inline constexpr std::size_t kPacketHead = 8;
inline constexpr std::size_t kHelloBytes = 128;
inline constexpr std::size_t kHelloSigned = kHelloBytes - 32;  ///< what the mac covers
inline constexpr std::size_t kMaxAlertText = 400;

enum class PacketKind : std::uint8_t { hello = 1, identity = 2, alert = 3 };

enum class AlertCode : std::uint8_t {
  wrong_version = 1,
  unknown_key = 2,
  not_admitted = 3,
  busy = 4,
  malformed = 5,
  no_common_cipher = 6,
  unknown_target = 7,
};

struct PacketHead {
  std::uint16_t version = 0;
  PacketKind kind = PacketKind::hello;
  std::uint8_t extra = 0;
};

struct Hello {
  std::uint16_t version = 0;
  std::uint8_t ciphers = 0;  ///< caller: set of AeadKind bits; answerer: the one chosen
  KeyId key_id{};
  Uuid target;
  Key ephemeral{}, nonce{}, mac{};
};

struct Identity {
  Role role = Role::client;
  BodySeal body_seal = BodySeal::sealed;
  std::uint32_t heartbeat_ms = 0;
  Uuid uuid;
  Key public_key{};
  std::vector<std::byte> offer;
};

struct Alert {
  std::uint16_t version = 0;
  AlertCode code = AlertCode::malformed;
  std::string text;
};

[[nodiscard]] Result<PacketHead> decode_packet_head(std::span<const std::byte> packet);

[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);
[[nodiscard]] Result<Hello> decode_hello(std::span<const std::byte> packet);

/// The clear text inside an identity packet.
[[nodiscard]] std::vector<std::byte> encode(const Identity& identity);
[[nodiscard]] Result<Identity> decode_identity(std::span<const std::byte> clear);
[[nodiscard]] std::vector<std::byte> identity_head(std::uint16_t version);

[[nodiscard]] std::vector<std::byte> encode(const Alert& alert);
[[nodiscard]] Result<Alert> decode_alert(std::span<const std::byte> packet);

}  // namespace frenzy::transport
