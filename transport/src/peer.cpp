#include "peer.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/transport/admission.hpp"

namespace frenzy::transport {

namespace {

constexpr std::size_t kMaxReason = 300;

void run(std::optional<Finished> finished) {
  if (finished && finished->done) finished->done(finished->status);
}

long long ms(std::chrono::nanoseconds t) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(t).count();
}

}  // namespace

Peer::Peer(const Parts& parts, LinkId link, PeerInfo info, std::string route, Channel channel,
           std::chrono::nanoseconds silence_limit)
    : parts_(parts),
      link_(link),
      info_(std::move(info)),
      route_(std::move(route)),
      channel_(std::move(channel)),
      silence_limit_(silence_limit),
      last_heard_(parts.clock.now()),
      last_spoke_(parts.clock.now()) {}

void Peer::send_ready() { enqueue_urgent(FrameKind::ready); }

void Peer::fail_later(Done done, Error why) {
  if (!done) return;
  parts_.owner.post([done = std::move(done), why = at(route_, std::move(why))] { done(why); });
}

void Peer::fault(const Error& why) {
  if (!reason_) reason_ = at(route_, why);
  parts_.carrier.close(link_);
}

void Peer::send(std::vector<std::byte> message, Done done) {
  if (closing_) return fail_later(std::move(done), error(Errc::unreachable, "the link is closing"));
  if (message.size() > kMaxMessage) {
    return fail_later(std::move(done), error(Errc::invalid_argument,
                                             "message of {} bytes, the limit is {}", message.size(),
                                             kMaxMessage));
  }
  if (queued_bytes_ + message.size() > kMaxQueuedBytes) {
    return fail_later(std::move(done), error(Errc::exhausted, "{} bytes wait already, the limit is {}",
                                             queued_bytes_, kMaxQueuedBytes));
  }
  enqueue(FrameKind::message, std::move(message), std::move(done));
}

void Peer::enqueue(FrameKind kind, std::vector<std::byte> payload, Done done) {
  Queued frame;
  frame.header.kind = kind;
  frame.header.first = next_sequence_++;
  queued_bytes_ += payload.size();
  frame.payload = std::move(payload);
  frame.done = std::move(done);
  control_.push_back(std::move(frame));
  pump();
}

void Peer::enqueue_urgent(FrameKind kind) {
  Queued frame;
  frame.header.kind = kind;
  frame.header.first = frames_consumed_;
  frame.header.second = fragments_consumed_;
  frame.header.total = message_bytes_read_;
  frame.counted = false;
  urgent_.push_back(std::move(frame));
  pump();
}

void Peer::post_receive(BodyTag tag, std::span<std::byte> into, Done done) {
  if (closing_) return fail_later(std::move(done), error(Errc::unreachable, "the link is closing"));
  const auto posted = bodies_.post_receive(tag, into, done);
  if (!posted) return fail_later(std::move(done), posted.error());
  Queued frame;
  frame.header = {.kind = FrameKind::grant, .first = tag.high, .second = tag.low, .total = into.size()};
  control_.push_back(std::move(frame));
  pump();
}

void Peer::send_body(BodyTag tag, std::span<const std::byte> body, Done done) {
  if (closing_) return fail_later(std::move(done), error(Errc::unreachable, "the link is closing"));
  auto posted = bodies_.post_send(tag, body, done);
  if (!posted) return fail_later(std::move(done), posted.error());
  if (posted->finished) {
    auto finished = std::move(*posted->finished);
    posted->finished.reset();
    fail_later(std::move(finished.done), finished.status.error());
  }
  apply(std::move(*posted), tag);
}

void Peer::apply(GrantOutcome outcome, BodyTag tag) {
  if (outcome.abandon) {
    Queued frame;
    frame.header = {.kind = FrameKind::abandon, .first = tag.high, .second = tag.low,
                    .total = *outcome.abandon};
    control_.push_back(std::move(frame));
  }
  run(std::move(outcome.finished));
  pump();
}

bool Peer::has_credit() const { return frames_sent_ - frames_acked_ < parts_.carrier.window(); }

bool Peer::may_go(const Queued& frame) const {
  if (!frame.counted) return true;
  const auto unread = message_bytes_sent_ - message_bytes_acked_;
  return has_credit() && unread + frame.payload.size() <= kMaxUnreadBytes;
}

void Peer::pump() {
  if (down_) return;
  pump_control();
  if (!closing_ && up_) pump_bodies();
}

void Peer::pump_control() {
  while (in_flight_.size() - fragments_in_flight_ < kControlInFlight) {
    auto& queue = urgent_.empty() ? control_ : urgent_;
    if (queue.empty() || !may_go(queue.front())) return;
    const auto token = next_token_++;
    auto& flight = in_flight_[token];
    flight.control = std::move(queue.front());
    queue.pop_front();
    auto& frame = flight.control;
    if (frame.counted) ++frames_sent_;
    message_bytes_sent_ += frame.payload.size();
    OutFrame out;
    out.header = channel_.seal(frame.header, BodySeal::sealed, frame.payload, frame.payload);
    out.payload = frame.payload;
    out.token = token;
    last_spoke_ = clock_now();
    parts_.carrier.send(link_, out);
  }
}

void Peer::pump_bodies() {
  while (bodies_.has_fragment() && fragments_sent_ - fragments_acked_ < kFragmentsUnconsumed &&
         has_credit()) {
    const auto fragment = bodies_.next_fragment();
    const auto token = next_token_++;
    auto& flight = in_flight_[token];
    flight.body = fragment.tag;
    flight.body_bytes = fragment.bytes.size();
    FrameHeader header{.kind = FrameKind::fragment, .first = fragment.tag.high,
                       .second = fragment.tag.low, .offset = fragment.offset,
                       .total = fragment.total};
    OutFrame out;
    out.payload = fragment.bytes;
    if (info_.body_seal == BodySeal::sealed && !fragment.bytes.empty()) {
      flight.buffer = parts_.pool.take(fragment.bytes.size());
      out.payload = flight.buffer.bytes();
    }
    out.header = channel_.seal(header, info_.body_seal, fragment.bytes, flight.buffer.bytes());
    out.token = token;
    ++fragments_in_flight_;
    ++fragments_sent_;
    ++frames_sent_;
    last_spoke_ = clock_now();
    parts_.carrier.send(link_, out);
  }
}

void Peer::sent(std::uint64_t token) {
  auto found = in_flight_.extract(token);
  if (found.empty()) return;
  auto flight = std::move(found.mapped());
  if (flight.body) {
    --fragments_in_flight_;
    stats_.body_bytes_sent += flight.body_bytes;
    parts_.pool.give_back(std::move(flight.buffer));
    pump();
    return run(bodies_.fragment_sent(*flight.body));
  }
  queued_bytes_ -= flight.control.payload.size();
  if (flight.control.header.kind == FrameKind::message) ++stats_.messages_sent;
  pump();
  if (flight.control.done) flight.control.done(Status{});
}

Status Peer::land(Landed& landed) {
  const auto& h = landed.frame.header;
  const auto mode = static_cast<BodySeal>(h.seal);
  if (h.kind == FrameKind::fragment) {
    auto into = bodies_.land({h.first, h.second}, h.offset, h.total, h.payload_bytes);
    if (!into) return into.error();
    landed.into = *into;
    if (h.payload_bytes == 0 || mode == info_.body_seal) return {};
    return error(Errc::corrupt, "a body that is {}, agreed was {}", name_of(mode), name_of(info_.body_seal));
  }
  const bool ordered = h.kind == FrameKind::message || h.kind == FrameKind::goodbye;
  if (h.payload_bytes > 0 && (!ordered || mode != BodySeal::sealed)) {
    return error(Errc::corrupt, "a payload where none belongs");
  }
  if (const auto held = hold(h.payload_bytes); !held) return held;
  landed.buffer = parts_.pool.take(h.payload_bytes);
  return {};
}

Status Peer::hold(std::uint64_t bytes) {
  if (unread_bytes_ + bytes > kMaxUnreadBytes) {
    return error(Errc::exhausted, "{} bytes of messages that cannot be read yet, the limit is {}; message {} is missing",
                 unread_bytes_ + bytes, kMaxUnreadBytes, expected_sequence_);
  }
  unread_bytes_ += bytes;
  return parts_.owner.hold_unread(link_, bytes);
}

Result<Landing> Peer::header(std::span<const std::byte> bytes) {
  auto opened = channel_.open_header(bytes);
  Landed landed;
  Status good = opened ? Status{} : Status{opened.error()};
  if (opened) {
    landed.frame = *opened;
    good = land(landed);
  }
  if (!good) {
    if (!reason_) reason_ = at(route_, good.error());
    return *reason_;
  }
  const auto token = next_token_++;
  auto& kept = landing_[token] = std::move(landed);
  if (kept.frame.header.kind != FrameKind::fragment) kept.into = kept.buffer.bytes();
  return Landing{kept.into, token};
}

void Peer::arrived(std::uint64_t token) {
  auto found = landing_.extract(token);
  if (found.empty()) return;
  auto landed = std::move(found.mapped());
  const auto opened = channel_.open_payload(landed.frame, landed.into);
  if (!opened) return fault(opened.error());
  if (!up_) parts_.owner.peer_ready(*this);
  if (up_) dispatch(std::move(landed));
}

void Peer::dispatch(Landed landed) {
  const auto& h = landed.frame.header;
  const BodyTag tag{h.first, h.second};
  switch (h.kind) {
    case FrameKind::ready: return;
    case FrameKind::heartbeat:
    case FrameKind::credit: return on_credit(h);
    case FrameKind::message:
    case FrameKind::goodbye:
      return dispatch_ordered(h.first, {h.kind, std::move(landed.buffer)});
    case FrameKind::fragment:
      ++frames_consumed_;
      ++fragments_consumed_;
      give_credit();
      stats_.body_bytes_received += h.payload_bytes;
      return run(bodies_.landed(tag, h.payload_bytes));
    case FrameKind::grant: {
      consumed();
      auto outcome = bodies_.on_grant(tag, h.total);
      return outcome ? apply(std::move(*outcome), tag) : fault(outcome.error());
    }
    case FrameKind::abandon: {
      consumed();
      auto finished = bodies_.on_abandon(tag, h.total);
      return finished ? run(std::move(*finished)) : fault(finished.error());
    }
  }
}

void Peer::dispatch_ordered(std::uint64_t sequence, Early frame) {
  if (sequence < expected_sequence_ || early_.contains(sequence) ||
      sequence - expected_sequence_ >= parts_.carrier.window()) {
    return fault(error(Errc::corrupt, "message {} is out of order, expected {}", sequence,
                       expected_sequence_));
  }
  early_.emplace(sequence, std::move(frame));
  while (!early_.empty() && early_.begin()->first == expected_sequence_ && !down_) {
    auto next = std::move(early_.extract(early_.begin()).mapped());
    ++expected_sequence_;
    unread_bytes_ -= next.buffer.size;
    parts_.owner.release_unread(link_, next.buffer.size);
    consumed(next.buffer.size);
    deliver(next);
    parts_.pool.give_back(std::move(next.buffer));
  }
}

void Peer::deliver(Early& frame) {
  if (frame.kind == FrameKind::goodbye) return on_goodbye(text_of(frame.buffer.bytes()));
  ++stats_.messages_received;
  parts_.events.message(info_.peer, frame.buffer.bytes());
}

void Peer::on_credit(const FrameHeader& credit) {
  const auto frames = credit.first, fragments = credit.second, bytes = credit.total;
  if (frames > frames_sent_ || fragments > fragments_sent_ || bytes > message_bytes_sent_) {
    return fault(error(Errc::corrupt, "credit for {} frames, {} fragments and {} bytes of messages; {}, {} and {} were sent",
                       frames, fragments, bytes, frames_sent_, fragments_sent_, message_bytes_sent_));
  }
  frames_acked_ = std::max(frames_acked_, frames);
  fragments_acked_ = std::max(fragments_acked_, fragments);
  message_bytes_acked_ = std::max(message_bytes_acked_, bytes);
  pump();
}

void Peer::consumed(std::uint64_t message_bytes) {
  ++frames_consumed_;
  message_bytes_read_ += message_bytes;
  if (frames_consumed_ - frames_credited_ >= parts_.carrier.window() / 4 ||
      message_bytes_read_ - message_bytes_credited_ >= kMaxUnreadBytes / 4) {
    give_credit();
  }
}

void Peer::give_credit() {
  message_bytes_credited_ = message_bytes_read_;
  frames_credited_ = frames_consumed_;
  enqueue_urgent(FrameKind::credit);
}

void Peer::close(const std::string& reason) {
  if (closing_) return;
  closing_ = true;
  reason_ = error(Errc::cancelled, "{}: closed here: {}", route_, reason);
  const auto text = bytes_of(std::string_view(reason).substr(0, kMaxReason));
  enqueue(FrameKind::goodbye, {text.begin(), text.end()}, nullptr);
  force_after_deadline();
}

void Peer::on_goodbye(std::string_view text) {
  if (closing_) return parts_.carrier.close(link_);
  closing_ = true;
  reason_ = error(Errc::unreachable, "{}: the other side closed: {}", route_,
                  printable(text, kMaxReason));
  enqueue(FrameKind::goodbye, {}, nullptr);
  force_after_deadline();
}

void Peer::force_after_deadline() {
  close_timer_ = parts_.owner.after(kCloseDeadline, [this] {
    close_timer_ = TimerId::none;
    parts_.carrier.close(link_);
  });
}

Error Peer::down(const Error& why) {
  down_ = true;
  closing_ = true;
  parts_.owner.cancel(close_timer_);
  const Error reason = reason_.value_or(why);
  std::vector<Done> open;
  for (auto& [token, flight] : in_flight_) open.push_back(std::move(flight.control.done));
  for (auto& frame : control_) open.push_back(std::move(frame.done));
  for (auto& done : bodies_.take_all()) open.push_back(std::move(done));
  in_flight_.clear();
  control_.clear();
  urgent_.clear();
  landing_.clear();
  early_.clear();
  for (auto& done : open) {
    if (done) done(reason);
  }
  return reason;
}

void Peer::tick(std::chrono::nanoseconds period) {
  if (down_) return;
  const auto now = clock_now();
  const auto silent = now - last_heard_;
  if (silent > silence_limit_) {
    return fault(error(Errc::timed_out, "frozen or cut off: silent for {} ms, the limit is {} ms",
                       ms(silent), ms(silence_limit_)));
  }
  if (now - last_spoke_ >= period / 2) enqueue_urgent(FrameKind::heartbeat);
}

}  // namespace frenzy::transport
