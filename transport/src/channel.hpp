#pragma once
// Channel: the keys of one connection. Seals and opens frames; counters are never reused, every
// frame is accepted at most once. Keys differ by direction and by purpose (headers, bodies).
// Thread: the session's loop.

#include <memory>

#include "frenzy/transport/crypto.hpp"
#include "frenzy/transport/frame.hpp"
#include "frenzy/transport/session.hpp"
#include "replay_window.hpp"

namespace frenzy::transport {

/// Everything a finished handshake leaves behind.
struct ChannelKeys {
  AeadKind cipher = AeadKind::chacha20poly1305;
  AeadKind tagger = AeadKind::chacha20poly1305;  ///< for bodies that are only authenticated
  Key root{};
  bool caller = false;
};

struct OpenedHeader {
  FrameHeader header;
  std::uint64_t counter = 0;
};

class Channel {
 public:
  Channel(const Crypto& crypto, const ChannelKeys& keys);

  /// Seals `payload` into `out` (same length, may be the same memory; untouched unless the mode is
  /// sealed), fills in length, seal and tag of `header`, and returns the bytes to send.
  [[nodiscard]] WireHeaderBytes seal(FrameHeader header, BodySeal mode,
                                     std::span<const std::byte> payload, std::span<std::byte> out);
  /// Errors: corrupt (forged, replayed, malformed).
  [[nodiscard]] Result<OpenedHeader> open_header(std::span<const std::byte> wire);
  /// Checks and decrypts a payload in place, as its header says.
  [[nodiscard]] Status open_payload(const OpenedHeader& frame, std::span<std::byte> payload);

 private:
  struct Direction {
    std::unique_ptr<Aead> header, body, tagger;
  };
  Direction out_, in_;
  std::uint64_t next_counter_ = 0;
  ReplayWindow window_;
};

}  // namespace frenzy::transport
