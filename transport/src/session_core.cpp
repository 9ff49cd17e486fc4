#include "session_core.hpp"

#include <algorithm>

namespace frenzy::transport {

namespace {

constexpr int kSilentPeriods = 5;

PeerId id_of(LinkId link) { return PeerId{link.value}; }

Status validated(const SessionOptions& o) {
  if (o.uuid.is_nil()) return error(Errc::invalid_argument, "a session needs a uuid");
  if (o.heartbeat < std::chrono::milliseconds{20} || o.heartbeat > std::chrono::minutes{1}) {
    return error(Errc::invalid_argument, "heartbeat is {} ms, allowed are 20 to 60000",
                 o.heartbeat.count());
  }
  if (o.max_pending == 0 || o.max_peers == 0 || o.handshake_deadline.count() <= 0) {
    return error(Errc::invalid_argument, "max_pending, max_peers and handshake_deadline must be positive");
  }
  if (o.max_unread_bytes < kMaxUnreadBytes) {
    return error(Errc::invalid_argument, "max_unread_bytes is {}, at least {} are needed", o.max_unread_bytes, kMaxUnreadBytes);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const SessionOptions& options,
                                              const SessionParts& parts) {
  const auto good = validated(options);
  if (!good) return good.error();
  return std::unique_ptr<Session>(std::make_unique<SessionCore>(options, parts));
}

SessionCore::SessionCore(const SessionOptions& options, const SessionParts& parts)
    : options_(options), parts_(parts), refusals_(parts.log, parts.tasks.clock()) {
  parts_.carrier.start(*this);
}

SessionCore::~SessionCore() {
  parts_.carrier.stop();
  for (auto& [link, pending] : pending_) parts_.tasks.cancel(pending.deadline);
  parts_.tasks.cancel(tick_timer_);
}

Result<std::string> SessionCore::listen(const std::string& address) {
  return parts_.carrier.listen(address);
}

void SessionCore::connect(const std::string& address, Connected done) {
  connect(address, Uuid{}, std::move(done));
}

void SessionCore::connect(const std::string& address, const Uuid& target, Connected done) {
  const auto link = parts_.carrier.connect(address);
  auto& pending = pending_[link];
  pending.info = {"this process", address, true};
  pending.target = target;
  pending.done = std::move(done);
  start_deadline(link, pending);
}

void SessionCore::start_deadline(LinkId link, Pending& pending) {
  pending.deadline = after(options_.handshake_deadline, [this, link] {
    const auto found = pending_.find(link);
    if (found == pending_.end()) return;
    found->second.deadline = TimerId::none;
    auto& late = found->second;
    if (!late.reason && !late.handshake) {
      late.info.local = parts_.carrier.local_address(link);
      late.reason = error(Errc::unreachable, "{}: no connection within {} ms: nobody is there, or a firewall keeps that port closed",
                          route_of(late.info), options_.handshake_deadline.count());
    } else if (!late.reason) {
      late.reason = error(Errc::timed_out, "{}: no handshake within {} ms", route_of(late.info), options_.handshake_deadline.count());
    }
    parts_.carrier.close(link);
  });
}

void SessionCore::link_up(LinkId link, const LinkInfo& info) {
  if (!info.outgoing) make_room();
  auto& pending = pending_[link];
  pending.info = info;
  if (!info.outgoing) start_deadline(link, pending);
  if (pending.reason) return;
  pending.handshake = std::make_unique<Handshake>(
      Handshake::Parts{options_, parts_.crypto, parts_.admission, info,
                       [this, link](auto theirs) { return parts_.carrier.offer(link, theirs); }},
      pending.target);
  if (info.outgoing) parts_.carrier.send_packet(link, pending.handshake->start());
}

// The oldest stranger that has said nothing makes room; a talking one only if all of them talk.
void SessionCore::make_room() {
  std::size_t incoming = 0;
  auto victim = pending_.end();
  for (auto at = pending_.begin(); at != pending_.end(); ++at) {
    if (at->second.info.outgoing || at->second.reason) continue;
    ++incoming;
    if (victim == pending_.end() || (victim->second.spoke && !at->second.spoke)) victim = at;
  }
  if (incoming < options_.max_pending) return;
  refuse(victim->first, victim->second,
         {error(Errc::exhausted, "{}: {} connections are shaking hands already",
                route_of(victim->second.info), incoming),
          Alert{options_.protocol_version, AlertCode::busy, "too many connections at once"}});
}

void SessionCore::refuse(LinkId link, Pending& pending, HandshakeFailure failure) {
  if (pending.reason) return;
  if (failure.tell) parts_.carrier.send_packet(link, encode(*failure.tell));
  pending.reason = std::move(failure.why);
  parts_.carrier.close(link);
}

void SessionCore::packet(LinkId link, std::span<const std::byte> bytes) {
  const auto found = pending_.find(link);
  if (found == pending_.end() || !found->second.handshake || found->second.reason) return;
  auto& pending = found->second;
  if (!pending.info.outgoing && !pending.spoke) {
    if (auto failed = pending.handshake->check_hello(bytes)) {
      return refuse(link, pending, std::move(*failed));
    }
    pending.spoke = true;
    if (hand_over(link, pending, bytes)) return;
    if (pending.reason) return;
  }
  std::vector<std::byte> reply;
  if (auto failed = pending.handshake->packet(bytes, reply)) {
    return refuse(link, pending, std::move(*failed));
  }
  if (!reply.empty()) parts_.carrier.send_packet(link, std::move(reply));
  if (pending.handshake->finished()) finish(link, pending);
}

bool SessionCore::hand_over(LinkId link, Pending& pending, std::span<const std::byte> hello) {
  const auto target = pending.handshake->target();
  if (target.is_nil() || target == options_.uuid) return false;
  if (parts_.handover == nullptr || !parts_.handover->knows(target)) {
    const auto text = format("{} is not reached through this gate", target);
    refuse(link, pending, {error(Errc::not_found, "{}: {}", route_of(pending.info), text),
                           Alert{options_.protocol_version, AlertCode::unknown_target, text}});
    return false;
  }
  auto socket = parts_.carrier.release(link);
  if (!socket) {
    refuse(link, pending, {at(route_of(pending.info), socket.error()),
                           Alert{options_.protocol_version, AlertCode::unknown_target,
                                 "this link cannot be handed over"}});
    return false;
  }
  std::vector<std::byte> first(hello.begin(), hello.end());
  parts_.tasks.cancel(pending.deadline);
  pending_.erase(link);
  parts_.handover->take(target, *socket, std::move(first));
  return true;
}

void SessionCore::finish(LinkId link, Pending& pending) {
  const auto& theirs = pending.handshake->peer();
  if (peers_.size() >= options_.max_peers) {
    return refuse(link, pending, {error(Errc::exhausted, "{}: {} peers are connected already",
                                        route_of(pending.info), peers_.size()), std::nullopt});
  }
  PeerInfo info;
  info.peer = id_of(link);
  info.role = theirs.role;
  info.uuid = theirs.uuid;
  info.public_key = theirs.public_key;
  info.key_id = pending.handshake->key_id();
  info.local_address = pending.info.local;
  info.remote_address = pending.info.remote;
  info.body_seal = pending.handshake->agreed_seal();
  info.outgoing = pending.info.outgoing;
  const auto period = std::max(options_.heartbeat, std::chrono::milliseconds{theirs.heartbeat_ms});
  const Peer::Parts parts{*this, parts_.carrier, parts_.events, pool_, parts_.tasks.clock()};
  pending.peer = std::make_unique<Peer>(parts, link, std::move(info), route_of(pending.info),
                                        Channel(parts_.crypto, pending.handshake->keys()),
                                        period * kSilentPeriods);
  parts_.carrier.upgrade(link, theirs.offer);
}

void SessionCore::framed(LinkId link) {
  const auto found = pending_.find(link);
  if (found == pending_.end() || !found->second.peer) return;
  if (found->second.info.outgoing) found->second.peer->send_ready();
}

void SessionCore::peer_ready(Peer& peer) {
  auto node = pending_.extract(peer.link());
  if (node.empty() || node.mapped().reason) return;
  auto& pending = node.mapped();
  parts_.tasks.cancel(pending.deadline);
  if (!pending.info.outgoing) peer.send_ready();
  peer.set_carrier(std::string(parts_.carrier.name(peer.link())));
  peer.set_up();
  const auto link = peer.link();
  peers_[link] = std::move(pending.peer);
  const auto& info = peer.info();
  // Clients come and go by the second; the links of a cluster are worth a line each.
  const bool of_cluster = info.role != Role::client && options_.role != Role::client;
  parts_.log.write(of_cluster ? LogLevel::info : LogLevel::debug, "link.up",
                   format("role={} uuid={} carrier={} why='{}' bodies={} route='{}'", name_of(info.role), info.uuid, info.carrier,
                          parts_.carrier.reason(link), name_of(info.body_seal), peer.route()));
  arm_tick();
  parts_.events.peer_up(info);
  if (pending.done) pending.done(id_of(link));
}

// The others' memory is given back when their link is down; they no longer count from now on.
Status SessionCore::hold_unread(LinkId link, std::uint64_t bytes) {
  unread_.hold(link, bytes, parts_.tasks.clock().now());
  while (unread_.total() > options_.max_unread_bytes) {
    const auto longest = *unread_.longest();
    const auto why = error(Errc::exhausted,
                           "{} bytes of its messages wait for one that does not come; with those of all peers they are {}, the limit is {}",
                           unread_.of(longest), unread_.total(), options_.max_unread_bytes);
    unread_.forget(longest);
    if (longest == link) return why;
    post([this, longest, why] {
      if (auto* peer = any_peer(longest)) peer->fault(why);
    });
  }
  return {};
}

Peer* SessionCore::any_peer(LinkId link) {
  const auto found = peers_.find(link);
  if (found != peers_.end()) return found->second.get();
  const auto pending = pending_.find(link);
  return pending == pending_.end() ? nullptr : pending->second.peer.get();
}

Peer* SessionCore::up_peer(PeerId peer) const {
  const auto found = peers_.find(LinkId{peer.value});
  return found == peers_.end() ? nullptr : found->second.get();
}

Result<Landing> SessionCore::header(LinkId link, std::span<const std::byte> bytes) {
  if (auto* peer = any_peer(link)) return peer->header(bytes);
  return error(Errc::corrupt, "a frame before the end of the handshake");
}

void SessionCore::arrived(LinkId link, std::uint64_t token) {
  if (auto* peer = any_peer(link)) peer->arrived(token);
}

void SessionCore::sent(LinkId link, std::uint64_t token) {
  if (auto* peer = any_peer(link)) peer->sent(token);
}

void SessionCore::alive(LinkId link) {
  if (auto* peer = up_peer(id_of(link))) peer->heard();
}

void SessionCore::down(LinkId link, const Error& why) {
  unread_.forget(link);
  if (auto node = pending_.extract(link); !node.empty()) {
    auto& pending = node.mapped();
    parts_.tasks.cancel(pending.deadline);
    auto reason = pending.reason.value_or(why);
    if (pending.peer) reason = pending.peer->down(reason);
    if (!pending.info.outgoing) refusals_.refused(pending.info.remote, reason);
    if (pending.done) pending.done(reason);
    return;
  }
  auto node = peers_.extract(link);
  if (node.empty()) return;
  const auto reason = node.mapped()->down(why);
  parts_.log.debug("session.peer_down", "peer={} why='{}'", link.value, reason);
  parts_.events.peer_down(id_of(link), reason);
}

void SessionCore::lost(Done done, PeerId peer) {
  if (!done) return;
  post([done = std::move(done), peer] {
    done(error(Errc::unreachable, "peer {} is not connected", peer.value));
  });
}

void SessionCore::send(PeerId id, std::vector<std::byte> message, Done done) {
  if (auto* peer = up_peer(id)) return peer->send(std::move(message), std::move(done));
  lost(std::move(done), id);
}

void SessionCore::post_receive(PeerId id, BodyTag tag, std::span<std::byte> into, Done done) {
  if (auto* peer = up_peer(id)) return peer->post_receive(tag, into, std::move(done));
  lost(std::move(done), id);
}

void SessionCore::send_body(PeerId id, BodyTag tag, std::span<const std::byte> body, Done done) {
  if (auto* peer = up_peer(id)) return peer->send_body(tag, body, std::move(done));
  lost(std::move(done), id);
}

void SessionCore::close(PeerId id, const std::string& reason) {
  if (auto* peer = up_peer(id)) peer->close(reason);
}

PeerStats SessionCore::stats(PeerId id) const {
  const auto* peer = up_peer(id);
  return peer == nullptr ? PeerStats{} : peer->stats();
}

void SessionCore::post(Task task) {
  parts_.tasks.post([alive = std::weak_ptr(alive_), task = std::move(task)] {
    if (!alive.expired()) task();
  });
}

TimerId SessionCore::after(std::chrono::nanoseconds delay, Task task) {
  return parts_.tasks.at(parts_.tasks.clock().now() + delay, std::move(task));
}

void SessionCore::cancel(TimerId timer) { parts_.tasks.cancel(timer); }

void SessionCore::arm_tick() {
  if (tick_timer_ != TimerId::none) return;
  tick_due_ = parts_.tasks.clock().now() + options_.heartbeat;
  tick_timer_ = parts_.tasks.at(tick_due_, [this] { tick(); });
}

// No peer is judged by a judge that slept: silence counts from now when the tick itself came late.
void SessionCore::tick() {
  tick_timer_ = TimerId::none;
  const bool late = parts_.tasks.clock().now() - tick_due_ > options_.heartbeat;
  for (auto& [link, peer] : peers_) {
    if (late) peer->forgive();
    peer->tick(options_.heartbeat);
  }
  if (!peers_.empty()) arm_tick();
}

}  // namespace frenzy::transport
