#include "frenzy/client/client.hpp"

namespace frenzy::client {

void Client::connect(const std::string& address, std::function<void(Status)> done) {
  session_->connect(address, [this, done = std::move(done)](Result<transport::PeerId> peer) {
    if (!peer) return done(peer.error());
    peer_ = *peer;
    done({});
  });
}

void Client::ask(codec::Message message, std::chrono::nanoseconds timeout, std::function<void(Answer)> done) {
  send(std::move(message), {.each = std::move(done)}, timeout);
}

void Client::stream(codec::Message message, std::function<void(Answer)> each) {
  send(std::move(message), {.each = std::move(each), .streams = true}, std::nullopt);
}

void Client::send(codec::Message message, Open open, std::optional<std::chrono::nanoseconds> timeout) {
  if (!peer_) return open.each(error(Errc::unreachable, "there is no connection to a coordinator"));
  const auto correlation = next_++;
  const std::string name = codec::name_of(message);
  auto frame = codec::encode({.correlation = correlation, .message = std::move(message)});
  if (!frame) return open.each(frame.error());
  if (timeout) {
    open.timer = tasks_.at(tasks_.clock().now() + *timeout, [this, correlation, name, limit = *timeout] {
      finish(correlation, error(Errc::timed_out, "no answer to {} within {}", name, Seconds{limit}));
    });
  }
  open_.emplace(correlation, std::move(open));
  session_->send(*peer_, std::move(*frame), [this, correlation](Status sent) {
    if (!sent) finish(correlation, sent.error());
  });
}

void Client::finish(std::uint64_t correlation, const Answer& answer) {
  auto open = open_.extract(correlation);
  if (open.empty()) return;
  tasks_.cancel(open.mapped().timer);
  open.mapped().each(answer);
}

void Client::peer_down(transport::PeerId peer, const Error& why) {
  if (peer_ != peer) return;
  peer_.reset();
  while (!open_.empty()) finish(open_.begin()->first, why);
}

void Client::message(transport::PeerId, std::span<const std::byte> bytes) {
  auto envelope = codec::decode(bytes);
  if (!envelope || !envelope->reply) return;
  const auto found = open_.find(envelope->correlation);
  if (found == open_.end()) return;
  if (const auto* refused = std::get_if<codec::Refused>(&envelope->message)) {
    return finish(envelope->correlation, refused->why);
  }
  const auto* update = std::get_if<codec::JobUpdate>(&envelope->message);
  if (!found->second.streams || (update != nullptr && update->last)) {
    return finish(envelope->correlation, std::move(envelope->message));
  }
  const auto each = found->second.each;
  each(std::move(envelope->message));
}

}  // namespace frenzy::client
