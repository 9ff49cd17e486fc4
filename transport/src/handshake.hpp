#pragma once
// Handshake: mutual authentication of two processes in four packets, as a state machine that is fed
// packets and returns packets. In the notation of Noise: XX with a pre-shared key.
//
//   root = BLAKE2b(admission key; ee | both hellos)          identity packets are sealed under it
//   caller's proof     under k1 = BLAKE2b(root; se)          needs the caller's identity secret
//   answerer's proof   under k2 = BLAKE2b(k1; es)            needs the answerer's identity secret
//   channel root       = BLAKE2b(k2; all four packets)       roles, versions, seals are bound in
//
// Both ephemeral secrets are dropped with this object: recorded traffic stays closed when an
// identity or admission key leaks later.
// Thread: the session's loop.

#include <functional>
#include <optional>
#include <vector>

#include "channel.hpp"
#include "frenzy/transport/handshake_packets.hpp"
#include "frenzy/transport/make_session.hpp"

namespace frenzy::transport {

struct HandshakeFailure {
  Error why;
  std::optional<Alert> tell;  ///< sent to the other side before the link closes
};

class Handshake {
 public:
  struct Parts {
    const SessionOptions& options;
    Crypto& crypto;
    Admission& admission;
    LinkInfo link;
    /// Called once, when it goes out: the answerer's not before the caller is admitted.
    std::function<std::vector<std::byte>(std::span<const std::byte> theirs)> offer;
  };

  Handshake(Parts parts, const Uuid& target);

  /// The caller's first packet.
  [[nodiscard]] std::vector<std::byte> start();
  /// For the answerer, before packet(): whom the caller wants. Checks version, key and mac.
  [[nodiscard]] std::optional<HandshakeFailure> check_hello(std::span<const std::byte> bytes);
  [[nodiscard]] const Uuid& target() const { return theirs_hello_.target; }

  /// Takes the next packet; appends what is to be sent to `reply`.
  [[nodiscard]] std::optional<HandshakeFailure> packet(std::span<const std::byte> bytes,
                                                       std::vector<std::byte>& reply);
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] ChannelKeys keys() const;
  [[nodiscard]] const Identity& peer() const { return peer_; }
  [[nodiscard]] const KeyId& key_id() const { return key_id_; }
  [[nodiscard]] BodySeal agreed_seal() const;

 private:
  using Step = std::optional<HandshakeFailure>;
  Step answer(std::vector<std::byte>& reply);
  Step on_answer(std::span<const std::byte> bytes, std::vector<std::byte>& reply);
  Step on_identity(std::span<const std::byte> bytes, std::vector<std::byte>& reply);
  Step on_alert(std::span<const std::byte> bytes);
  Step check_version(std::uint16_t theirs) const;
  Step make_root();
  Step open_identity(std::span<const std::byte> bytes);
  Step check_proof(std::span<const std::byte> bytes);
  Step admit();
  Step fail(Errc code, AlertCode tell, std::string text) const;
  [[nodiscard]] bool extend(const Key& secret, const Key& public_key);
  [[nodiscard]] std::vector<std::byte> make_identity();
  [[nodiscard]] Hello make_hello(std::uint8_t ciphers, const Uuid& target) const;
  [[nodiscard]] Key hello_mac(std::string_view label, std::span<const std::byte> hello) const;
  [[nodiscard]] Key proof(bool of_caller) const;
  [[nodiscard]] std::unique_ptr<Aead> identity_aead(bool of_caller) const;

  Parts parts_;
  bool caller_;
  Uuid target_;
  KeyPair ephemeral_;
  Key admission_key_{};
  KeyId key_id_{};
  Hello theirs_hello_;
  bool hello_checked_ = false, answered_ = false, finished_ = false;
  AeadKind cipher_ = AeadKind::chacha20poly1305;
  Key root_{};      ///< sealing of identities
  Key chain_{};     ///< k1, then k2
  Identity peer_;
  std::vector<std::byte> transcript_;
};

}  // namespace frenzy::transport
