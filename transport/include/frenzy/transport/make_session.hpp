#pragma once
// How a session is put together. main() makes the loop, a carrier, the cryptography and an
// admission, and hands them to make_session; nothing is found by itself.

#include <memory>

#include "frenzy/base/log.hpp"
#include "frenzy/transport/admission.hpp"
#include "frenzy/transport/carrier.hpp"
#include "frenzy/transport/crypto.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::transport {

inline constexpr std::uint16_t kProtocolVersion = 1;

struct SessionOptions {
  Role role = Role::client;
  Uuid uuid;              ///< of the node, runner or user; nil is refused
  Key admission_key{};    ///< used for outgoing connections
  KeyPair identity;       ///< long-term X25519 pair of `uuid`
  BodySeal body_seal = BodySeal::sealed;  ///< a weaker one needs the same wish on both sides
  std::uint16_t protocol_version = kProtocolVersion;  ///< tests speak others
  /// The one number of liveness. A peer silent for five times the longer of both sides' periods is
  /// lost. 20 ms to 60 s.
  std::chrono::milliseconds heartbeat{500};
  std::chrono::milliseconds handshake_deadline{2000};
  std::size_t max_pending = 64;  ///< connections shaking hands at once
  std::size_t max_peers = 4096;
  /// The same of all peers together; beyond it the peer goes that has held some longest. At least
  /// kMaxUnreadBytes.
  std::size_t max_unread_bytes = 128U << 20;
};

/// Takes connections meant for another process of this host (a runner behind its node's gate).
/// Thread: the session's loop.
class Handover {
 public:
  virtual ~Handover() = default;
  [[nodiscard]] virtual bool knows(const Uuid& target) const = 0;
  /// `socket` is the receiver's to close; `first` are the bytes to give to adopt() with it.
  virtual void take(const Uuid& target, int socket, std::vector<std::byte> first) = 0;
};

/// Everything outlives the session.
struct SessionParts {
  Carrier& carrier;
  Tasks& tasks;
  Crypto& crypto;
  Log& log;
  Admission& admission;
  SessionEvents& events;
  Handover* handover = nullptr;  ///< none: connections for other targets are refused
};

/// Starts `parts.carrier`. Destroying the session stops it by force, without callbacks; not from
/// inside a callback. Errors: invalid_argument naming the option.
[[nodiscard]] Result<std::unique_ptr<Session>> make_session(const SessionOptions& options,
                                                            const SessionParts& parts);

}  // namespace frenzy::transport
