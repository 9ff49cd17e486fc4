#pragma once
// Layout of a frame's header on the wire. All fields little-endian; sizes are fixed for a protocol
// version and checked by golden bytes in tests/transport/frame_test.cpp.
//
//   0   4  kFrameMagic                     \  prefix: clear, and associated data of the seal
//   4   4  payload_bytes (<= kMaxPayload)   |
//   8   8  counter: nonce, per direction   /
//  16  56  FrameHeader, sealed
//  72  16  tag of the seal

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "frenzy/base/result.hpp"
#include "frenzy/transport/carrier.hpp"
#include "frenzy/transport/crypto.hpp"

namespace frenzy::transport {

inline constexpr std::uint32_t kFrameMagic = 0x465a5246;  // "FRZF"
inline constexpr std::size_t kPrefixBytes = 16;
inline constexpr std::size_t kFrameHeaderBytes = 56;

enum class FrameKind : std::uint8_t {
  ready = 1,      ///< the data path works
  message = 2,    ///< first = sequence; payload sealed
  grant = 3,      ///< first, second = tag; total = length of the granted buffer
  fragment = 4,   ///< first, second = tag; offset, total; payload as agreed
  abandon = 5,    ///< first, second = tag; total = length of the body that will not come
  heartbeat = 6,  ///< first = frames consumed so far, second = fragments among them, total = bytes of messages read
  credit = 7,     ///< the same
  goodbye = 8,    ///< first = sequence; payload = reason, sealed
};

struct FrameHeader {
  FrameKind kind = FrameKind::ready;
  std::uint8_t seal = 0;  ///< BodySeal of the payload; 0 without payload
  std::uint32_t payload_bytes = 0;
  std::uint64_t first = 0, second = 0;
  std::uint64_t offset = 0, total = 0;
  SealTag payload_tag{};
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

struct FramePrefix {
  std::uint32_t payload_bytes = 0;
  std::uint64_t counter = 0;
};

using FrameHeaderBytes = std::array<std::byte, kFrameHeaderBytes>;
using WireHeaderBytes = std::array<std::byte, kWireHeader>;

[[nodiscard]] FrameHeaderBytes encode(const FrameHeader& header);
/// Refuses unknown kinds, unknown seals and set reserved bits. Any bytes are safe.
[[nodiscard]] Result<FrameHeader> decode_frame_header(std::span<const std::byte> bytes);

void encode(const FramePrefix& prefix, std::span<std::byte, kPrefixBytes> out);
/// Refuses a wrong magic and payloads above kMaxPayload.
[[nodiscard]] Result<FramePrefix> decode_frame_prefix(std::span<const std::byte> bytes);

}  // namespace frenzy::transport
