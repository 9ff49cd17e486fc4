#pragma once
// What every two-process bench needs: sessions in processes of their own, and a mailbox through which a
// main thread talks to the other process in turns.

#include <condition_variable>
#include <deque>
#include <vector>

#include "frenzy/base/guarded.hpp"
#include "session_process.hpp"

namespace frenzy::bench {

using tests::fork_server, tests::Forked, tests::join_server, tests::Listen, tests::Process, tests::Setup;

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

[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double seconds_now();

}  // namespace frenzy::bench
