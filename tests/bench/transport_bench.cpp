// Round trip of a 128-byte message and bandwidth of 64 MiB bodies between two processes, session to
// session. Prints one line per carrier and body seal, then a last line for tools.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "frenzy/base/check.hpp"
#include "frenzy/crypto/crypto.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/ucx_carrier.hpp"

using namespace frenzy;
using namespace frenzy::transport;

namespace {

constexpr std::size_t kBody = 64U << 20;
constexpr int kWarmUp = 500, kRoundTrips = 5000, kBodies = 12, kBodiesAhead = 2;

struct Setup {
  bool ucx = false;
  BodySeal seal = BodySeal::sealed;
};

/// Everything a process needs for a session, in the order of construction.
class Process {
 public:
  Process(const Setup& setup, SessionEvents& events, std::uint8_t number)
      : loop_(EventLoop::create(clock_).value()), crypto_(crypto::make_crypto().value()) {
    if (setup.ucx) {
      carrier_ = make_ucx_carrier(*loop_, log_, {.use = UcxUse::require}).value();
    } else {
      carrier_ = std::make_unique<TcpCarrier>(*loop_, log_);
    }
    SessionOptions options;
    options.role = Role::node;
    options.uuid.bytes[0] = number;
    options.identity = crypto_->key_pair();
    options.body_seal = setup.seal;
    admission_ = std::make_unique<ClusterAdmission>(*crypto_, options.admission_key);
    session_ = make_session(options, {*carrier_, *loop_, *crypto_, log_, *admission_, events}).value();
  }
  EventLoop& loop() { return *loop_; }
  Session& session() { return *session_; }

 private:
  SystemClock clock_;
  NullLog log_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<Crypto> crypto_;
  std::unique_ptr<SocketCarrier> carrier_;
  std::unique_ptr<ClusterAdmission> admission_;
  std::unique_ptr<Session> session_;
};

/// Echoes messages; receives bodies into the same few buffers, over and over.
class Server final : public SessionEvents {
 public:
  void peer_up(const PeerInfo& info) override {
    for (int i = 0; i < kBodiesAhead; ++i) grant(info.peer, i);
  }
  void peer_down(PeerId, const Error&) override { process->loop().stop(); }
  void message(PeerId peer, std::span<const std::byte> bytes) override {
    process->session().send(peer, {bytes.begin(), bytes.end()}, nullptr);
  }
  Process* process = nullptr;

 private:
  void grant(PeerId peer, int number) {
    auto& buffer = buffers_[static_cast<std::size_t>(number % kBodiesAhead)];
    buffer.resize(kBody);
    process->session().post_receive(peer, {0, static_cast<std::uint64_t>(number)}, buffer,
                                    [this, peer, number](const Status& s) {
                                      if (!s) return;
                                      received_ = number + 1;
                                      grant(peer, number + kBodiesAhead);
                                      if (received_ % kBodies == 0) process->session().send(peer, {}, nullptr);
                                    });
  }
  std::array<std::vector<std::byte>, kBodiesAhead> buffers_;
  int received_ = 0;
};

class Client final : public SessionEvents {
 public:
  void peer_up(const PeerInfo& info) override { peer_ = info.peer; }
  void peer_down(PeerId, const Error&) override { process->loop().stop(); }
  void message(PeerId, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return bodies_done();
    if (rounds_ > 0) return loaded_done();
    samples_.push_back(now() - sent_at_);
    if (samples_.size() == kWarmUp + kRoundTrips) return bodies();
    ping();
  }
  void begin() { ping(); }
  Process* process = nullptr;
  double round_trip_us = 0, p99_us = 0, gigabytes_per_second = 0, loaded_p99_ms = 0;

 private:
  TimePoint now() { return process->loop().clock().now(); }
  void ping() {
    sent_at_ = now();
    process->session().send(peer_, std::vector<std::byte>(128), nullptr);
  }
  void bodies() {
    std::sort(samples_.begin() + kWarmUp, samples_.end());
    const auto at = [&](int share) {
      const auto index = kWarmUp + kRoundTrips * share / 100;
      return std::chrono::duration<double, std::micro>(samples_[static_cast<std::size_t>(index)]).count();
    };
    round_trip_us = at(50);
    p99_us = at(99);
    body_.assign(kBody, std::byte{1});
    send_bodies();
  }
  // The first round touches all memory and is not counted.
  void send_bodies() {
    sent_at_ = now();
    if (rounds_ == 1) loaded_ping();
    for (int i = 0; i < kBodies; ++i) {
      process->session().send_body(peer_, {0, next_body_++}, body_, nullptr);
    }
  }
  void bodies_done() {
    const auto seconds = std::chrono::duration<double>(now() - sent_at_).count();
    gigabytes_per_second = static_cast<double>(kBody) * kBodies / seconds / 1e9;
    if (++rounds_ < 3) return send_bodies();
    std::sort(loaded_.begin(), loaded_.end());
    if (!loaded_.empty()) {
      const auto p99 = loaded_[loaded_.size() * 99 / 100];
      loaded_p99_ms = std::chrono::duration<double, std::milli>(p99).count();
    }
    process->session().close(peer_, "done");
  }
  // Control messages while bodies stream: one every two milliseconds.
  void loaded_ping() {
    loaded_at_ = now();
    process->session().send(peer_, std::vector<std::byte>(128), nullptr);
  }
  void loaded_done() {
    loaded_.push_back(now() - loaded_at_);
    process->loop().at(now() + std::chrono::milliseconds{2}, [this] { loaded_ping(); });
  }

  PeerId peer_;
  TimePoint sent_at_, loaded_at_;
  std::vector<std::chrono::nanoseconds> samples_, loaded_;
  std::vector<std::byte> body_;
  std::uint64_t next_body_ = 0;
  int rounds_ = 0;
};

[[noreturn]] void serve(const Setup& setup, int address_pipe) {
  Server server;
  Process process(setup, server, 1);
  server.process = &process;
  const auto address = process.session().listen("127.0.0.1:0").value();
  FRENZY_CHECK(::write(address_pipe, address.data(), address.size()) > 0);
  process.loop().run();
  ::_exit(0);
}

Client measure(const Setup& setup) {
  std::array<int, 2> pipe{};
  FRENZY_CHECK(::pipe(pipe.data()) == 0);
  const auto child = ::fork();
  if (child == 0) serve(setup, pipe[1]);
  std::array<char, 64> address{};
  FRENZY_CHECK(::read(pipe[0], address.data(), address.size() - 1) > 0);
  Client client;
  {
    Process process(setup, client, 2);
    client.process = &process;
    process.session().connect(address.data(), [&](const Result<PeerId>& peer) {
      if (peer) return client.begin();
      std::fprintf(stderr, "%s\n", peer.error().what.c_str());
      process.loop().stop();
    });
    process.loop().run();
  }
  ::waitpid(child, nullptr, 0);
  ::close(pipe[0]);
  ::close(pipe[1]);
  return client;
}

}  // namespace

int main() {
  std::printf("%-8s %-14s %10s %10s %8s %14s\n", "carrier", "bodies", "median us", "p99 us", "GB/s",
              "loaded p99 ms");
  set_ucx_environment({});
  for (const bool ucx : {false, true}) {
    for (const auto seal : {BodySeal::clear, BodySeal::authenticated, BodySeal::sealed}) {
      const auto result = measure({ucx, seal});
      const std::string name(name_of(seal));
      std::printf("%-8s %-14s %10.1f %10.1f %8.2f %14.2f\n", ucx ? "ucx" : "tcp", name.c_str(),
                  result.round_trip_us, result.p99_us, result.gigabytes_per_second,
                  result.loaded_p99_ms);
      std::printf("transport carrier=%s bodies=%s round_trip_us=%.1f p99_us=%.1f gb_per_s=%.2f "
                  "loaded_p99_ms=%.2f\n",
                  ucx ? "ucx" : "tcp", name.c_str(), result.round_trip_us, result.p99_us,
                  result.gigabytes_per_second, result.loaded_p99_ms);
      std::fflush(stdout);
    }
  }
}
