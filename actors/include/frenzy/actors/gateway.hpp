#pragma once
// Gateway: between frames of a session and messages of actors. It alone knows correlation numbers: a
// request to a peer is answered with the peer's answer, or with an error when the peer is lost or the
// time is over. Malformed frames are counted; the third drops the peer.
//
// A SessionBridge stands on the session's loop: it decodes what comes in and hands it to the gateway.
// Thread: actor messages from anywhere; the bridge on the session's loop.

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <map>
#include <string>

#include "frenzy/actors/environment.hpp"
#include "frenzy/actors/message.hpp"
#include "frenzy/base/user.hpp"
#include "frenzy/codec/envelope.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::actors {

// From the gateway to its owner ----------------------------------------------------------------

struct PeerUp { transport::PeerInfo peer; };
struct PeerDown { transport::PeerInfo peer; Error why; };
/// A message that is not a reply. `correlation` 0: no answer is wanted.
struct Incoming {
  transport::PeerInfo peer;
  User user;  ///< of a client: whose key it has shown
  std::uint64_t correlation = 0;
  codec::Message message;
};

// To the gateway -------------------------------------------------------------------------------

/// First message: who gets the three above.
struct SetOwner { caf::actor owner; };
struct Tell { transport::PeerId peer; codec::Message message; };
/// Answered with Msg<Answer>.
struct Ask { transport::PeerId peer; codec::Message message; std::chrono::nanoseconds timeout{}; };
using Answer = Result<codec::Message>;
/// Answers an Incoming. More than one answer to a correlation makes a stream (WatchJob).
struct Reply { transport::PeerId peer; std::uint64_t correlation = 0; codec::Message message; };
/// Answered with Msg<Connected>.
struct Connect { std::string address; };
using Connected = Result<transport::PeerId>;
struct Disconnect { transport::PeerId peer; std::string why; };

/// Whose key a client has shown. An error drops the connection: the key was revoked. Asked for each
/// message, and each second for who only listens. Thread: the loop.
using Identify = std::function<Result<User>(const transport::PeerInfo&)>;

/// Made before the session, whose events it is; attach before the first frame.
class SessionBridge final : public transport::SessionEvents {
 public:
  /// Without `identify`, every client that was admitted is an admin.
  explicit SessionBridge(Environment env, Identify identify = {}) : env_(env), identify_(std::move(identify)) {}
  void attach(transport::Session& session, caf::actor gateway);
  /// Nothing reaches the gateway any more. Thread: the loop, or after it has ended.
  void detach();

  void peer_up(const transport::PeerInfo& peer) override;
  void peer_down(transport::PeerId peer, const Error& why) override;
  void message(transport::PeerId peer, std::span<const std::byte> bytes) override;

 private:
  [[nodiscard]] Result<User> user_of(const transport::PeerInfo& peer) const;
  void look_again_later();
  void drop_revoked();

  Environment env_;
  Identify identify_;
  transport::Session* session_ = nullptr;
  caf::actor gateway_;
  std::map<transport::PeerId, transport::PeerInfo> peers_;
  std::map<transport::PeerId, int> malformed_;
  TimerId look_again_ = TimerId::none;
};

/// The session outlives the actor.
[[nodiscard]] caf::actor spawn_gateway(caf::actor_system& system, Environment env, transport::Session& session);

/// Refused becomes its error; an answer of a kind other than T is corrupt.
template <class T>
[[nodiscard]] Result<T> expect(const Answer& answer) {
  if (!answer) return answer.error();
  if (const auto* got = std::get_if<T>(&*answer)) return *got;
  return error(Errc::corrupt, "the peer answered with {}", codec::name_of(*answer));
}

}  // namespace frenzy::actors
