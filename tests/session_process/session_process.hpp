#pragma once
// Sessions in processes of their own: a process's session in the order of construction, and a forked one.

#include <functional>
#include <memory>
#include <string>

#include "frenzy/crypto/crypto.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/ucx_carrier.hpp"

namespace frenzy::tests {

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

/// Forks: the child listens, tells its address and runs `child` with it open; the parent gets the
/// address. Call before any thread and before UCX starts.
using Listen = std::function<void(const std::string& address)>;
struct Forked {
  int child = 0;
  std::string address;
};
[[nodiscard]] Forked fork_server(const std::function<void(const Listen&)>& child);
void join_server(const Forked& server);

}  // namespace frenzy::tests
