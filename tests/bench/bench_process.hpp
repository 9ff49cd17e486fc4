#pragma once
// What every two-process bench needs: a process's session in the order of construction, and a mailbox
// through which its main thread talks to the other process in turns.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frenzy/base/guarded.hpp"
#include "frenzy/crypto/crypto.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/ucx_carrier.hpp"

namespace frenzy::bench {

struct Setup {
  bool ucx = false;
  transport::BodySeal seal = transport::BodySeal::sealed;
};

/// Thread: construction and the loop's thread.
class Process {
 public:
  Process(const Setup& setup, transport::SessionEvents& events, std::uint8_t number);
  transport::EventLoop& loop() { return *loop_; }
  transport::Session& session() { return *session_; }

 private:
  SystemClock clock_;
  NullLog log_;
  std::unique_ptr<transport::EventLoop> loop_;
  std::unique_ptr<transport::Crypto> crypto_;
  std::unique_ptr<transport::SocketCarrier> carrier_;
  std::unique_ptr<transport::ClusterAdmission> admission_;
  std::unique_ptr<transport::Session> session_;
};

/// Events of a session with one peer, for a main thread that waits. Thread: events on the loop.
class Mailbox final : public transport::SessionEvents {
 public:
  void peer_up(const transport::PeerInfo& info) override;
  void peer_down(transport::PeerId, const Error& why) override;
  void message(transport::PeerId, std::span<const std::byte> bytes) override;

  [[nodiscard]] transport::PeerId wait_peer();
  /// The next message's first byte, 0 for an empty one; aborts when the peer is gone.
  std::uint8_t wait();

 private:
  struct State {
    std::deque<std::uint8_t> messages;
    transport::PeerId peer;
    bool up = false, down = false;
  };
  Guarded<State> state_;
  std::condition_variable changed_;
};

/// Forks: the child listens, tells its address and runs `child` with it open; the parent gets the
/// address. Call before any thread and before UCX starts.
using Listen = std::function<void(const std::string& address)>;
struct Forked {
  int child = 0;
  std::string address;
};
[[nodiscard]] Forked fork_server(const std::function<void(const Listen&)>& child);
void join_server(const Forked& server);

[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double seconds_now();

}  // namespace frenzy::bench
