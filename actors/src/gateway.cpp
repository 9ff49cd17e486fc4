#include "frenzy/actors/gateway.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include "actor_base.hpp"

namespace frenzy::actors {
namespace {

using transport::PeerId;

struct Frame {
  transport::PeerInfo peer;
  User user;
  codec::Envelope envelope;
};
struct AskTimedOut { std::uint64_t correlation = 0; };
struct ConnectDone { std::uint64_t id = 0; Connected result; };
struct AskFailed { std::uint64_t correlation = 0; Error why; };

class Gateway final : public ActorBase {
 public:
  Gateway(caf::actor_config& config, Environment env, transport::Session* session)
      : ActorBase(config, env, "gateway"), session_(session) {}

  caf::behavior make_behavior() override {
    return {
        [this](const Msg<SetOwner>& m) { owner_ = m->owner; },
        [this](const Msg<PeerUp>& m) { to_owner(m); },
        [this](const Msg<PeerDown>& m) { peer_down(m); },
        [this](const Msg<Frame>& m) { frame(*m); },
        [this](const Msg<Tell>& m) { send(m->peer, {.message = m->message}); },
        [this](const Msg<Reply>& m) { reply(*m); },
        [this](const Msg<Ask>& m) { return ask(*m); },
        [this](const Msg<AskTimedOut>& m) { timed_out(m->correlation); },
        [this](const Msg<AskFailed>& m) { finish(m->correlation, m->why); },
        [this](const Msg<Connect>& m) { return connect(m->address); },
        [this](const Msg<ConnectDone>& m) { connected(m->id, m->result); },
        [this](const Msg<Disconnect>& m) { disconnect(*m); },
    };
  }

  void on_exit() override {
    owner_ = nullptr;
    open_.clear();
    connecting_.clear();
  }

 private:
  struct Open {
    PeerId peer;
    const char* name = "";
    std::chrono::nanoseconds timeout{};
    caf::response_promise promise;
  };

  template <class T>
  void to_owner(const Msg<T>& message) {
    if (owner_) send_to(owner_, message);
  }

  void peer_down(const Msg<PeerDown>& m) {
    std::vector<std::uint64_t> lost;
    for (const auto& [correlation, open] : open_) {
      if (open.peer == m->peer.peer) lost.push_back(correlation);
    }
    for (const auto correlation : lost) finish(correlation, m->why);
    to_owner(m);
  }

  void frame(const Frame& f) {
    if (!f.envelope.reply) {
      return to_owner(msg(Incoming{f.peer, f.user, f.envelope.correlation, f.envelope.message}));
    }
    const auto found = open_.find(f.envelope.correlation);
    if (found == open_.end() || found->second.peer != f.peer.peer) return;  // its time was over
    if (const auto* refused = std::get_if<codec::Refused>(&f.envelope.message)) {
      return finish(f.envelope.correlation, refused->why);
    }
    finish(f.envelope.correlation, f.envelope.message);
  }

  caf::response_promise ask(const Ask& m) {
    const auto correlation = next_++;
    auto promise = make_response_promise();
    open_.emplace(correlation, Open{m.peer, codec::name_of(m.message), m.timeout, promise});
    if (m.timeout.count() > 0) {
      remind(m.timeout, AskTimedOut{correlation});
    }
    send(m.peer, {.correlation = correlation, .message = m.message});
    return promise;
  }

  void timed_out(std::uint64_t correlation) {
    const auto found = open_.find(correlation);
    if (found == open_.end()) return;
    finish(correlation, error(Errc::timed_out, "no answer to {} within {}", std::string_view(found->second.name),
                              Seconds{found->second.timeout}));
  }

  void finish(std::uint64_t correlation, Answer answer) {
    const auto found = open_.find(correlation);
    if (found == open_.end()) return;
    auto promise = std::move(found->second.promise);
    open_.erase(found);
    promise.deliver(msg(std::move(answer)));
  }

  void reply(const Reply& m) {
    if (m.correlation == 0) return;
    send(m.peer, {.correlation = m.correlation, .reply = true, .message = m.message});
  }

  void send(PeerId peer, const codec::Envelope& envelope) {
    auto bytes = codec::encode(envelope);
    if (!bytes) {
      log().error("gateway.encode", "peer={} {}", peer.value, bytes.error());
      if (envelope.reply) return send(peer, {.correlation = envelope.correlation, .reply = true, .message = codec::Refused{bytes.error()}});
      return finish(envelope.correlation, bytes.error());
    }
    const auto correlation = envelope.reply ? 0 : envelope.correlation;
    env().tasks->post([session = session_, peer, correlation, self = caf::actor_cast<caf::actor>(this),
                       frame = std::move(*bytes)]() mutable {
      session->send(peer, std::move(frame), [self, correlation](Status sent) {
        if (!sent && correlation != 0) caf::anon_send(self, msg(AskFailed{correlation, sent.error()}));
      });
    });
  }

  caf::response_promise connect(const std::string& address) {
    auto promise = make_response_promise();
    const auto id = next_++;
    connecting_.emplace(id, promise);
    env().tasks->post([session = session_, address, id, self = caf::actor_cast<caf::actor>(this)] {
      session->connect(address, [self, id](Connected result) {
        caf::anon_send(self, msg(ConnectDone{id, result}));
      });
    });
    return promise;
  }

  void connected(std::uint64_t id, const Connected& result) {
    const auto found = connecting_.find(id);
    if (found == connecting_.end()) return;
    auto promise = std::move(found->second);
    connecting_.erase(found);
    promise.deliver(msg(result));
  }

  void disconnect(const Disconnect& m) {
    env().tasks->post([session = session_, m] { session->close(m.peer, m.why); });
  }

  transport::Session* session_;
  caf::actor owner_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Open> open_;
  std::map<std::uint64_t, caf::response_promise> connecting_;
};

}  // namespace

void SessionBridge::attach(transport::Session& session, caf::actor gateway) {
  session_ = &session;
  gateway_ = std::move(gateway);
}

void SessionBridge::detach() { gateway_ = nullptr; }

void SessionBridge::look_again_later() {
  look_again_ = env_.tasks->at(env_.now() + std::chrono::seconds{1}, [this] {
    look_again_ = TimerId::none;
    if (!gateway_) return;
    drop_revoked();
    if (!peers_.empty()) look_again_later();
  });
}

void SessionBridge::drop_revoked() {
  std::vector<std::pair<PeerId, Error>> revoked;
  for (const auto& [peer, info] : peers_) {
    if (auto user = user_of(info); !user) revoked.emplace_back(peer, user.error());
  }
  for (const auto& [peer, why] : revoked) session_->close(peer, why.what);
}

void SessionBridge::peer_up(const transport::PeerInfo& peer) {
  peers_[peer.peer] = peer;
  env_.log->debug("peer.up", "peer={} role={} remote={}", peer.peer.value, static_cast<int>(peer.role), peer.remote_address);
  if (gateway_) caf::anon_send(gateway_, msg(PeerUp{peer}));
  if (identify_ && look_again_ == TimerId::none) look_again_later();
}

void SessionBridge::peer_down(PeerId peer, const Error& why) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  const auto info = found->second;
  peers_.erase(found);
  malformed_.erase(peer);
  if (gateway_) caf::anon_send(gateway_, msg(PeerDown{info, why}));
}

Result<User> SessionBridge::user_of(const transport::PeerInfo& peer) const {
  if (peer.role != transport::Role::client) return User{};
  if (!identify_) return User{"local", UserRole::admin};
  return identify_(peer);
}

void SessionBridge::message(PeerId peer, std::span<const std::byte> bytes) {
  const auto found = peers_.find(peer);
  if (found == peers_.end() || !gateway_) return;
  auto envelope = codec::decode(bytes);
  if (envelope) {
    auto user = user_of(found->second);
    if (!user) return session_->close(peer, user.error().what);
    caf::anon_send(gateway_, msg(Frame{found->second, std::move(*user), std::move(*envelope)}));
    return;
  }
  constexpr int kPatience = 3;
  const auto count = ++malformed_[peer];
  if (count == 1) {
    env_.log->warn("peer.malformed", "remote={} {}", found->second.remote_address, envelope.error());
  }
  if (count == kPatience) session_->close(peer, envelope.error().what);
}

caf::actor spawn_gateway(caf::actor_system& system, Environment env, transport::Session& session) {
  return system.spawn<Gateway>(env, &session);
}

}  // namespace frenzy::actors
