#include "channel.hpp"

#include <cstring>

#include "frenzy/base/byte_io.hpp"

namespace frenzy::transport {

Channel::Channel(const Crypto& crypto, const ChannelKeys& keys) {
  const auto direction = [&](std::string_view name) {
    const auto key = [&](std::string_view purpose) {
      return crypto.mac(keys.root, bytes_of(format("frenzy {} {}", name, purpose)));
    };
    return Direction{crypto.aead(keys.cipher, key("header")), crypto.aead(keys.cipher, key("body")),
                     crypto.aead(keys.tagger, key("tag"))};
  };
  out_ = direction(keys.caller ? "caller" : "answerer");
  in_ = direction(keys.caller ? "answerer" : "caller");
}

WireHeaderBytes Channel::seal(FrameHeader header, BodySeal mode, std::span<const std::byte> payload,
                              std::span<std::byte> out) {
  const auto counter = next_counter_++;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.seal = static_cast<std::uint8_t>(payload.empty() ? 0 : static_cast<unsigned>(mode));
  if (!payload.empty()) {
    if (mode == BodySeal::sealed) header.payload_tag = out_.body->seal(counter, {}, payload, out);
    if (mode == BodySeal::authenticated) header.payload_tag = out_.tagger->seal(counter, payload, {}, {});
  }
  WireHeaderBytes wire{};
  const auto prefix = std::span(wire).first<kPrefixBytes>();
  encode(FramePrefix{header.payload_bytes, counter}, prefix);
  const auto clear = encode(header);
  const auto tag = out_.header->seal(counter, prefix, clear,
                                     std::span(wire).subspan(kPrefixBytes, kFrameHeaderBytes));
  std::memcpy(wire.data() + kPrefixBytes + kFrameHeaderBytes, tag.data(), tag.size());
  return wire;
}

Result<OpenedHeader> Channel::open_header(std::span<const std::byte> wire) {
  if (wire.size() != kWireHeader) return error(Errc::corrupt, "header of {} bytes", wire.size());
  const auto prefix = decode_frame_prefix(wire.first(kPrefixBytes));
  if (!prefix) return prefix.error();
  if (!window_.fresh(prefix->counter)) {
    return error(Errc::corrupt, "frame {} was replayed", prefix->counter);
  }
  FrameHeaderBytes clear{};
  std::memcpy(clear.data(), wire.data() + kPrefixBytes, clear.size());
  SealTag tag{};
  std::memcpy(tag.data(), wire.data() + kPrefixBytes + kFrameHeaderBytes, tag.size());
  if (!in_.header->open(prefix->counter, wire.first(kPrefixBytes), clear, tag)) {
    return error(Errc::corrupt, "the seal of frame {} is broken", prefix->counter);
  }
  window_.mark(prefix->counter);
  auto header = decode_frame_header(clear);
  if (!header) return header.error();
  if (header->payload_bytes != prefix->payload_bytes) {
    return error(Errc::corrupt, "frame {} contradicts its own length", prefix->counter);
  }
  return OpenedHeader{*header, prefix->counter};
}

Status Channel::open_payload(const OpenedHeader& frame, std::span<std::byte> payload) {
  if (payload.empty()) return {};
  const auto mode = static_cast<BodySeal>(frame.header.seal);
  bool good = mode == BodySeal::clear;
  if (mode == BodySeal::sealed) {
    good = in_.body->open(frame.counter, {}, payload, frame.header.payload_tag);
  } else if (mode == BodySeal::authenticated) {
    good = in_.tagger->open(frame.counter, payload, {}, frame.header.payload_tag);
  }
  if (good) return {};
  return error(Errc::corrupt, "the payload of frame {} was changed on its way", frame.counter);
}

}  // namespace frenzy::transport
