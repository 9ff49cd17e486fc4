#pragma once
// Session: authenticated, sealed messages and tensor bodies between processes, over a Carrier.
//
// The session knows nothing of what it carries: control messages are opaque bytes (Cap'n Proto above),
// bodies are opaque spans named by a tag. A body moves only after the receiver has granted the very
// buffer it goes into (post_receive), so no peer can make this process allocate. Bodies are cut into
// fragments of at most 1 MiB so that control messages are never stuck behind them.
// Thread: all calls from the session's own loop (its Tasks); all callbacks run there, never inline.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/tasks.hpp"

namespace frenzy::transport {

/// One live connection to a peer process. Never reused: a peer that comes back has a new number.
struct PeerId {
  std::uint64_t value = 0;
  friend auto operator<=>(const PeerId&, const PeerId&) = default;
};

/// What a process is; part of the handshake transcript.
enum class Role : std::uint8_t { coordinator = 1, node = 2, runner = 3, client = 4 };

/// How bodies travel. Headers and control messages are always sealed.
enum class BodySeal : std::uint8_t { sealed = 1, authenticated = 2, clear = 3 };

struct PeerInfo {
  PeerId peer;
  Role role = Role::client;
  Uuid uuid;                                 ///< of the node, runner or user behind the peer
  std::array<std::uint8_t, 32> public_key{}; ///< long-term identity, checked by Admission
  std::array<std::uint8_t, 8> key_id{};      ///< which admission key the connection used
  std::string local_address, remote_address; ///< for messages and logs
  std::string carrier;                       ///< "tcp", "ucx" or "simulated"
  BodySeal body_seal = BodySeal::sealed;
  bool outgoing = false;
};

/// Names a body between two peers. Unique per peer while in flight; made by the layer above.
struct BodyTag {
  std::uint64_t high = 0, low = 0;
  friend auto operator<=>(const BodyTag&, const BodyTag&) = default;
};

/// Runs once: when the bytes left (or arrived), or with the reason why they never will.
using Done = std::function<void(Status)>;

class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  /// The handshake has succeeded, in either direction.
  virtual void peer_up(const PeerInfo& peer) = 0;
  /// Exactly once per peer_up. Every open Done of that peer has run before. `why` names both addresses; it
  /// is cancelled only where this side closed.
  virtual void peer_down(PeerId peer, const Error& why) = 0;
  /// A whole control message. `bytes` is valid during the call.
  virtual void message(PeerId peer, std::span<const std::byte> bytes) = 0;
};

struct PeerStats {
  std::uint64_t messages_sent = 0, messages_received = 0;
  std::uint64_t body_bytes_sent = 0, body_bytes_received = 0;
};

class Session {
 public:
  virtual ~Session() = default;

  /// Starts to accept. Returns the bound address ("127.0.0.1:4711", "[::1]:4711"); port 0 picks one.
  [[nodiscard]] virtual Result<std::string> listen(const std::string& address) = 0;

  /// Connects, shakes hands, then calls `done` with the peer (peer_up has run before) or with
  /// unreachable, refused (wrong key, role, version) or timed_out, naming both addresses.
  virtual void connect(const std::string& address, std::function<void(Result<PeerId>)> done) = 0;

  /// The same, for the process named `target` behind the gate at `address` (a runner of a node).
  virtual void connect(const std::string& address, const Uuid& target,
                       std::function<void(Result<PeerId>)> done) = 0;

  /// Queues a control message of at most kMaxMessage bytes. Messages to one peer arrive in order.
  /// Errors through `done`: exhausted when more than kMaxQueuedBytes wait, unreachable if lost.
  virtual void send(PeerId peer, std::vector<std::byte> message, Done done) = 0;

  /// Grants `into` for the body `tag` from `peer`; it must be exactly as long as the body. The
  /// memory stays borrowed until `done` ran.
  virtual void post_receive(PeerId peer, BodyTag tag, std::span<std::byte> into, Done done) = 0;

  /// Sends a body once the peer granted it. The memory stays borrowed until `done` ran.
  virtual void send_body(PeerId peer, BodyTag tag, std::span<const std::byte> body, Done done) = 0;

  /// Says goodbye, waits at most `kCloseDeadline`, then forces. peer_down follows on both sides.
  virtual void close(PeerId peer, const std::string& reason) = 0;

  [[nodiscard]] virtual PeerStats stats(PeerId peer) const = 0;
  [[nodiscard]] virtual Tasks& tasks() = 0;
};

inline constexpr std::size_t kMaxMessage = 1U << 20;
inline constexpr std::size_t kMaxQueuedBytes = 64U << 20;
/// Messages of one peer that it has sent and this process could not read yet: arriving, or come
/// before one that is missing. A peer that sends more ends, with exhausted.
inline constexpr std::size_t kMaxUnreadBytes = 8U << 20;
inline constexpr std::size_t kFragment = 1U << 20;
inline constexpr auto kCloseDeadline = std::chrono::milliseconds{300};

}  // namespace frenzy::transport
