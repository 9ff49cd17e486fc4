#pragma once
// A listening socket. Out of descriptors it stops looking for a while instead of spinning.
// Thread: the loop's.

#include <functional>

#include "frenzy/base/log.hpp"
#include "frenzy/transport/event_loop.hpp"

namespace frenzy::transport {

class TcpListener {
 public:
  using Accepted = std::function<void(UniqueFd)>;
  [[nodiscard]] static Result<std::unique_ptr<TcpListener>> open(const std::string& address,
                                                                 EventLoop& loop, Log& log,
                                                                 Accepted accepted);
  TcpListener(UniqueFd socket, EventLoop& loop, Log& log, Accepted accepted);
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  TcpListener(TcpListener&&) = delete;
  TcpListener& operator=(TcpListener&&) = delete;
  [[nodiscard]] std::string address() const;

 private:
  void ready();
  void back_off(int why);

  UniqueFd socket_;
  EventLoop& loop_;
  Log& log_;
  Accepted accepted_;
  TimerId resume_ = TimerId::none;
  bool complained_ = false;
};

}  // namespace frenzy::transport
