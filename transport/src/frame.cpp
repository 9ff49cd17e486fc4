#include "frenzy/transport/frame.hpp"

#include <cstring>

#include "frenzy/base/byte_io.hpp"

namespace frenzy::transport {

std::string route_of(const LinkInfo& info) {
  return info.outgoing ? format("{} -> {}", info.local, info.remote)
                       : format("{} <- {}", info.local, info.remote);
}

FrameHeaderBytes encode(const FrameHeader& header) {
  ByteWriter out;
  out.write(static_cast<std::uint8_t>(header.kind));
  out.write(header.seal);
  out.write(std::uint16_t{0});
  out.write(header.payload_bytes);
  out.write(header.first);
  out.write(header.second);
  out.write(header.offset);
  out.write(header.total);
  out.write(header.payload_tag);
  FrameHeaderBytes bytes{};
  FRENZY_CHECK(out.bytes().size() == bytes.size());
  std::memcpy(bytes.data(), out.bytes().data(), bytes.size());
  return bytes;
}

Result<FrameHeader> decode_frame_header(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  FrameHeader out;
  const auto kind = in.read<std::uint8_t>();
  out.seal = in.read<std::uint8_t>();
  const auto reserved = in.read<std::uint16_t>();
  out.payload_bytes = in.read<std::uint32_t>();
  out.first = in.read<std::uint64_t>();
  out.second = in.read<std::uint64_t>();
  out.offset = in.read<std::uint64_t>();
  out.total = in.read<std::uint64_t>();
  const auto tag = in.take(out.payload_tag.size());
  if (in.failed() || in.left() != 0) {
    return error(Errc::corrupt, "frame header of {} bytes, expected {}", bytes.size(),
                 kFrameHeaderBytes);
  }
  std::memcpy(out.payload_tag.data(), tag.data(), tag.size());
  if (kind < 1 || kind > 8) return error(Errc::corrupt, "unknown frame kind {}", kind);
  if (out.seal > 3 || reserved != 0) return error(Errc::corrupt, "unknown frame flags");
  out.kind = static_cast<FrameKind>(kind);
  return out;
}

void encode(const FramePrefix& prefix, std::span<std::byte, kPrefixBytes> out) {
  std::memcpy(out.data(), &kFrameMagic, 4);
  std::memcpy(out.data() + 4, &prefix.payload_bytes, 4);
  std::memcpy(out.data() + 8, &prefix.counter, 8);
}

Result<FramePrefix> decode_frame_prefix(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const auto magic = in.read<std::uint32_t>();
  FramePrefix out;
  out.payload_bytes = in.read<std::uint32_t>();
  out.counter = in.read<std::uint64_t>();
  if (in.failed()) return error(Errc::corrupt, "frame prefix of {} bytes", bytes.size());
  if (magic != kFrameMagic) return error(Errc::corrupt, "bytes that are not a frame");
  if (out.payload_bytes > kMaxPayload) {
    return error(Errc::corrupt, "frame of {} bytes, the limit is {}", out.payload_bytes, kMaxPayload);
  }
  return out;
}

}  // namespace frenzy::transport
