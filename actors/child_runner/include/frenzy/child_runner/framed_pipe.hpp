#pragma once
// FramedPipe: control messages over a socketpair between a node and its runner: four bytes of length,
// then an envelope. Both ends trust each other's binary, not its memory: lengths are bounded and frames
// decoded as from the wire.

#include <deque>
#include <functional>
#include <vector>

#include "frenzy/codec/envelope.hpp"
#include "frenzy/transport/event_loop.hpp"

namespace frenzy::child_runner {

/// Thread: the loop.
class FramedPipe {
 public:
  using OnMessage = std::function<void(codec::Message)>;
  /// `why` is what ended it; once, after the last message. It may destroy the pipe.
  using OnClosed = std::function<void(const Error& why)>;

  FramedPipe(transport::EventLoop& loop, transport::UniqueFd socket, OnMessage message, OnClosed closed);
  ~FramedPipe();
  FramedPipe(const FramedPipe&) = delete;
  FramedPipe& operator=(const FramedPipe&) = delete;
  FramedPipe(FramedPipe&&) = delete;
  FramedPipe& operator=(FramedPipe&&) = delete;

  /// Queues it; an error means that it can never be sent.
  [[nodiscard]] Status send(const codec::Message& message);
  /// True when everything queued has left.
  [[nodiscard]] bool empty() const { return out_.empty(); }

 private:
  void ready(std::uint32_t events);
  void read();
  void write();
  void take_frames();
  void close(const Error& why);

  transport::EventLoop& loop_;
  transport::UniqueFd socket_;
  OnMessage message_;
  OnClosed closed_;
  std::vector<std::byte> in_;
  std::deque<std::vector<std::byte>> out_;
  std::size_t sent_ = 0;  ///< of the first in out_
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace frenzy::child_runner
