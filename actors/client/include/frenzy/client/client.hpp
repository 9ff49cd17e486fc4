#pragma once
// Client: asks a coordinator over a session, callback-style and without CAF. What the CLI and tests use.

#include <functional>
#include <map>
#include <optional>

#include "frenzy/base/tasks.hpp"
#include "frenzy/codec/envelope.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::client {

using Answer = Result<codec::Message>;

/// Made before the session, whose events it is. Thread: the session's loop.
class Client final : public transport::SessionEvents {
 public:
  explicit Client(Tasks& tasks) : tasks_(tasks) {}
  /// Before the first call; the session outlives it, or the last call.
  void attach(transport::Session& session) { session_ = &session; }

  /// unreachable, refused, timed_out as of the session.
  void connect(const std::string& address, std::function<void(Status)> done);

  /// One answer, or an error: the coordinator's refusal, unreachable, timed_out.
  void ask(codec::Message message, std::chrono::nanoseconds timeout, std::function<void(Answer)> done);

  /// Every answer until the stream ends: JobUpdate with `last`, or an error. Until then no time limit.
  void stream(codec::Message message, std::function<void(Answer)> each);

  void peer_up(const transport::PeerInfo&) override {}
  void peer_down(transport::PeerId peer, const Error& why) override;
  void message(transport::PeerId peer, std::span<const std::byte> bytes) override;

 private:
  struct Open {
    std::function<void(Answer)> each;
    TimerId timer = TimerId::none;
    bool streams = false;
  };
  void send(codec::Message message, Open open, std::optional<std::chrono::nanoseconds> timeout);
  void finish(std::uint64_t correlation, const Answer& answer);

  Tasks& tasks_;
  transport::Session* session_ = nullptr;
  std::optional<transport::PeerId> peer_;
  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_ = 1;
};

}  // namespace frenzy::client
