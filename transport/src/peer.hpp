#pragma once
// Peer: one authenticated connection. Two queues, control and bodies; control goes first between
// fragments. At most kControlInFlight control frames are with the carrier, at most
// kFragmentsUnconsumed fragments are anywhere between here and the peer's memory, so that a control
// message never waits for more, and at most the carrier's window of frames is unconsumed (credits).
// A message is consumed when it has been read, in order: one that is missing holds the credit of all
// that came after it, so at most a window of frames and kMaxUnreadBytes of messages wait in memory.
// Thread: the session's loop.

#include <deque>
#include <map>
#include <optional>

#include "body_flow.hpp"
#include "buffer_pool.hpp"
#include "channel.hpp"
#include "frenzy/base/tasks.hpp"

namespace frenzy::transport {

class Peer;

/// What a peer needs of its session.
class PeerOwner {
 public:
  virtual ~PeerOwner() = default;
  /// The first frame came: the data path works.
  virtual void peer_ready(Peer& peer) = 0;
  /// Memory for a message that cannot be read yet. Errors: exhausted. Ends with release or down.
  [[nodiscard]] virtual Status hold_unread(LinkId link, std::uint64_t bytes) = 0;
  virtual void release_unread(LinkId link, std::uint64_t bytes) = 0;
  virtual void post(Task task) = 0;
  virtual TimerId after(std::chrono::nanoseconds delay, Task task) = 0;
  virtual void cancel(TimerId timer) = 0;
};

class Peer {
 public:
  struct Parts {
    PeerOwner& owner;
    Carrier& carrier;
    SessionEvents& events;
    BufferPool& pool;
    const Clock& clock;
  };
  Peer(const Parts& parts, LinkId link, PeerInfo info, std::string route, Channel channel,
       std::chrono::nanoseconds silence_limit);

  [[nodiscard]] const PeerInfo& info() const { return info_; }
  [[nodiscard]] const std::string& route() const { return route_; }
  [[nodiscard]] LinkId link() const { return link_; }
  [[nodiscard]] const PeerStats& stats() const { return stats_; }
  [[nodiscard]] bool up() const { return up_; }
  void set_up() { up_ = true; }
  void set_carrier(std::string name) { info_.carrier = std::move(name); }

  void send_ready();
  void send(std::vector<std::byte> message, Done done);
  void post_receive(BodyTag tag, std::span<std::byte> into, Done done);
  void send_body(BodyTag tag, std::span<const std::byte> body, Done done);
  void close(const std::string& reason);

  [[nodiscard]] Result<Landing> header(std::span<const std::byte> bytes);
  void arrived(std::uint64_t token);
  void sent(std::uint64_t token);
  void heard() { last_heard_ = clock_now(); }
  /// Ends the link, for a reason better than the carrier will know.
  void fault(const Error& why);
  /// Fails everything open; the session raises peer_down afterwards with the result.
  [[nodiscard]] Error down(const Error& why);

  /// Once per heartbeat period: speaks if nothing else was said, and judges silence.
  void tick(std::chrono::nanoseconds period);
  /// The judge was itself late: silence so far does not count.
  void forgive() { heard(); }

 private:
  static constexpr std::uint64_t kFragmentsUnconsumed = 3;
  static constexpr std::size_t kControlInFlight = 32;

  struct Queued {
    FrameHeader header;
    std::vector<std::byte> payload;
    Done done;
    bool counted = true;  ///< uses a credit
  };
  struct InFlight {
    Queued control;
    std::optional<BodyTag> body;
    std::uint64_t body_bytes = 0;
    PooledBuffer buffer;
  };
  struct Landed {
    OpenedHeader frame;
    PooledBuffer buffer;              ///< messages
    std::span<std::byte> into;        ///< where the payload lies
  };
  struct Early {
    FrameKind kind = FrameKind::message;
    PooledBuffer buffer;
  };

  [[nodiscard]] TimePoint clock_now() const { return parts_.clock.now(); }
  void enqueue(FrameKind kind, std::vector<std::byte> payload, Done done);
  void enqueue_urgent(FrameKind kind);
  void apply(GrantOutcome outcome, BodyTag tag);
  void fail_later(Done done, Error why);
  void pump();
  void pump_control();
  void pump_bodies();
  [[nodiscard]] bool has_credit() const;
  [[nodiscard]] bool may_go(const Queued& frame) const;
  /// Where the payload of `landed.frame` goes. Errors: corrupt, exhausted.
  [[nodiscard]] Status land(Landed& landed);
  void dispatch(Landed landed);
  void dispatch_ordered(std::uint64_t sequence, Early frame);
  void deliver(Early& frame);
  void on_goodbye(std::string_view text);
  void on_credit(const FrameHeader& credit);
  [[nodiscard]] Status hold(std::uint64_t bytes);
  void consumed(std::uint64_t message_bytes = 0);
  void give_credit();
  void force_after_deadline();

  Parts parts_;
  LinkId link_;
  PeerInfo info_;
  std::string route_;
  Channel channel_;
  std::chrono::nanoseconds silence_limit_;
  PeerStats stats_;
  bool up_ = false, closing_ = false, down_ = false;
  std::optional<Error> reason_;  ///< why it goes down, if known better than the carrier knows

  std::deque<Queued> urgent_, control_;
  std::size_t queued_bytes_ = 0;
  BodyFlow bodies_;
  std::map<std::uint64_t, InFlight> in_flight_;
  std::size_t fragments_in_flight_ = 0;
  std::map<std::uint64_t, Landed> landing_;
  std::uint64_t next_token_ = 1;

  std::uint64_t next_sequence_ = 0;      ///< of messages sent
  std::uint64_t expected_sequence_ = 0;  ///< of messages received
  std::map<std::uint64_t, Early> early_;
  std::uint64_t unread_bytes_ = 0;       ///< of messages: landing, or early

  std::uint64_t frames_sent_ = 0, frames_acked_ = 0;          ///< counted ones
  std::uint64_t frames_consumed_ = 0, frames_credited_ = 0;
  std::uint64_t fragments_sent_ = 0, fragments_acked_ = 0, fragments_consumed_ = 0;
  std::uint64_t message_bytes_sent_ = 0, message_bytes_acked_ = 0;
  std::uint64_t message_bytes_read_ = 0, message_bytes_credited_ = 0;
  TimePoint last_heard_, last_spoke_;
  TimerId close_timer_ = TimerId::none;
};

}  // namespace frenzy::transport
