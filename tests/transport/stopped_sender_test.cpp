// A process that is stopped in the middle of a write must delay nobody but those who wait for itself.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>

#include "frenzy/base/rng.hpp"
#include "long_run.hpp"
#include "session_process.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using tests::Process;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

class Echo final : public SessionEvents {
 public:
  void peer_up(const PeerInfo&) override {}
  void peer_down(PeerId, const Error&) override {}
  void message(PeerId peer, std::span<const std::byte> bytes) override {
    process->session().send(peer, {bytes.begin(), bytes.end()}, nullptr);
  }
  Process* process = nullptr;
};

/// Sends a message for each echo, `pause` later.
class Caller final : public SessionEvents {
 public:
  Caller(std::size_t bytes, int at_once, microseconds pause) : bytes_(bytes), at_once_(at_once), pause_(pause) {}
  void peer_up(const PeerInfo& info) override {
    peer_ = info.peer;
    for (int i = 0; i < at_once_; ++i) send();
  }
  void peer_down(PeerId, const Error&) override {}
  void message(PeerId, std::span<const std::byte>) override {
    ++echoes;
    if (pause_.count() == 0) return send();
    process->loop().at(process->loop().clock().now() + pause_, [this] { send(); });
  }
  void call(const std::string& address) {
    process->session().connect(address, [](const Result<PeerId>& peer) {
      if (!peer) std::abort();
    });
  }
  Process* process = nullptr;
  std::atomic<long> echoes{0};

 private:
  void send() { process->session().send(peer_, std::vector<std::byte>(bytes_), nullptr); }

  std::size_t bytes_;
  int at_once_;
  microseconds pause_;
  PeerId peer_;
};

int fork_busy_sender(const tests::Setup& setup, const std::string& address) {
  const int child = ::fork();
  if (child != 0) return child;
  Caller busy(6000, 8, microseconds{0});
  Process process(setup, busy, 3);
  busy.process = &process;
  busy.call(address);
  process.loop().run();
  ::_exit(0);
}

void end(int child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

/// Stops of a busy sender during which another sender heard no echo.
int silences(const tests::Setup& setup, int stops) {
  set_ucx_environment({});
  const auto server = tests::fork_server([&](const tests::Listen& listening) {
    Echo echo;
    Process process(setup, echo, 1);
    echo.process = &process;
    listening(process.session().listen("127.0.0.1:0").value());
    process.loop().run();
  });
  const int busy = fork_busy_sender(setup, server.address);
  Caller calm(128, 1, microseconds{500});
  int out = 0;
  {
    Process process(setup, calm, 2);
    calm.process = &process;
    calm.call(server.address);
    LoopThread thread(process.loop());
    while (calm.echoes == 0) std::this_thread::sleep_for(milliseconds{1});
    Rng rng(1);
    for (int i = 0; i < stops; ++i) {
      std::this_thread::sleep_for(microseconds{3000 + rng.below(3000)});
      ::kill(busy, SIGSTOP);
      std::this_thread::sleep_for(milliseconds{2});  // what was under way has come
      const long before = calm.echoes;
      const auto patience = process.loop().clock().now() + milliseconds{200};
      while (calm.echoes == before && process.loop().clock().now() < patience) std::this_thread::sleep_for(milliseconds{1});
      if (calm.echoes == before) ++out;
      ::kill(busy, SIGCONT);
    }
  }
  end(busy);
  end(server.child);
  return out;
}

}  // namespace

TEST_CASE("a sender that is stopped while it writes silences no other", "[ucx]") {
  CHECK(silences({.ucx = true}, tests::long_run() ? 5000 : 400) == 0);
  CHECK(silences({.ucx = false}, 20) == 0);
}
