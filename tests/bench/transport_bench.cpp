// Two processes, session to session: round trip of a 128-byte message, bandwidth of 64 MiB bodies, and
// round trips while such bodies stream on the same link. One configuration a call, so that tools/bench can
// interleave them with other programs. Usage: bench_transport tcp|ucx sealed|authenticated|clear
// [loaded rounds]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench_process.hpp"

using namespace frenzy;
using namespace frenzy::bench;
using namespace frenzy::transport;

namespace {

constexpr std::size_t kBody = 64U << 20;
constexpr int kWarmUp = 500, kRoundTrips = 5000, kBodies = 12, kBodiesAhead = 2;
/// The first round of bodies touches all memory; the second is timed; the others carry control messages.
constexpr int kTimedRound = 1, kFirstLoadedRound = 2;

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
    if (round_ > 0) return loaded_done();
    samples_.push_back(now() - sent_at_);
    if (samples_.size() == kWarmUp + kRoundTrips) return bodies();
    ping();
  }
  void begin() { ping(); }
  Process* process = nullptr;
  int rounds = 0;
  double round_trip_us = 0, p99_us = 0, gigabytes_per_second = 0, loaded_p50_ms = 0, loaded_p99_ms = 0;
  std::size_t loaded_count = 0;

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
  void send_bodies() {
    sent_at_ = now();
    if (round_ == kFirstLoadedRound) loaded_ping();
    for (int i = 0; i < kBodies; ++i) {
      process->session().send_body(peer_, {0, next_body_++}, body_, nullptr);
    }
  }
  void bodies_done() {
    const auto seconds = std::chrono::duration<double>(now() - sent_at_).count();
    if (round_ == kTimedRound) gigabytes_per_second = static_cast<double>(kBody) * kBodies / seconds / 1e9;
    if (++round_ < rounds) return send_bodies();
    std::ranges::sort(loaded_);
    loaded_count = loaded_.size();
    if (loaded_count > 0) {
      const auto at = [&](std::size_t share) {
        return std::chrono::duration<double, std::milli>(loaded_[loaded_count * share / 100]).count();
      };
      loaded_p50_ms = at(50);
      loaded_p99_ms = at(99);
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
  int round_ = 0;
};

Client measure(const Setup& setup, int loaded_rounds) {
  const auto server = fork_server([&](const Listen& listening) {
    Server events;
    Process process(setup, events, 1);
    events.process = &process;
    listening(process.session().listen("127.0.0.1:0").value());
    process.loop().run();
  });
  Client client;
  client.rounds = kFirstLoadedRound + loaded_rounds;
  {
    Process process(setup, client, 2);
    client.process = &process;
    process.session().connect(server.address, [&](const Result<PeerId>& peer) {
      if (peer) return client.begin();
      std::fprintf(stderr, "%s\n", peer.error().what.c_str());
      process.loop().stop();
    });
    process.loop().run();
  }
  join_server(server);
  return client;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view carrier = argc > 1 ? argv[1] : "ucx", seal = argc > 2 ? argv[2] : "clear";
  const int loaded_rounds = argc > 3 ? std::atoi(argv[3]) : 1;
  set_ucx_environment({});
  for (const auto each : {BodySeal::clear, BodySeal::authenticated, BodySeal::sealed}) {
    if (name_of(each) != seal) continue;
    const auto result = measure({carrier == "ucx", each}, loaded_rounds);
    std::printf("transport carrier=%s bodies=%s round_trip_us=%.1f p99_us=%.1f gb_per_s=%.3f loaded_samples=%zu "
                "loaded_p50_ms=%.2f loaded_p99_ms=%.2f\n",
                argv[1], argv[2], result.round_trip_us, result.p99_us, result.gigabytes_per_second,
                result.loaded_count, result.loaded_p50_ms, result.loaded_p99_ms);
    return result.gigabytes_per_second > 0 ? 0 : 1;
  }
  std::fprintf(stderr, "usage: bench_transport tcp|ucx sealed|authenticated|clear [loaded rounds]\n");
  return 2;
}
