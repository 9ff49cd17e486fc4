// Round trip of a 128-byte message from an actor of one process to an actor of another and back: over a
// session (ucx or tcp, headers sealed), or over CAF's own network layer, BASP. Both with scheduler policy
// sharing. One configuration a call, so that tools/bench can interleave them.
// Usage: bench_actor_latency ucx|tcp|basp [round trips]

#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string_view>

#include "bench_process.hpp"
#include "frenzy/base/check.hpp"

using namespace frenzy;
using namespace frenzy::bench;

namespace {

constexpr std::size_t kBytes = 128;
constexpr std::size_t kWarmUp = 500;
using Bytes128 = std::string;
using Forward = std::function<void(caf::event_based_actor&, Bytes128)>;

struct Configuration : caf::actor_system_config {
  explicit Configuration(bool network) {
    set("scheduler.policy", caf::atom("sharing"));
    if (network) load<caf::io::middleman>();
  }
};

/// Sends everything it gets on its way.
class Echo final : public caf::event_based_actor {
 public:
  Echo(caf::actor_config& config, Forward forward)
      : caf::event_based_actor(config), forward_(std::move(forward)) {}
  caf::behavior make_behavior() override {
    return {[this](Bytes128& bytes) { forward_(*this, std::move(bytes)); }};
  }

 private:
  Forward forward_;
};

/// One message under way at a time; the first one from outside starts it.
class Pinger final : public caf::event_based_actor {
 public:
  Pinger(caf::actor_config& config, Forward forward, std::size_t count, std::promise<std::vector<double>>* answer)
      : caf::event_based_actor(config), forward_(std::move(forward)), count_(count), done_(answer) {}
  caf::behavior make_behavior() override {
    return {[this](Bytes128& bytes) {
      const double now = seconds_now();
      if (begun_) times_.push_back(now - sent_);
      begun_ = true;
      if (times_.size() == count_) {
        done_->set_value(std::move(times_));
        return quit();
      }
      sent_ = now;
      forward_(*this, std::move(bytes));
    }};
  }

 private:
  Forward forward_;
  std::size_t count_;
  std::promise<std::vector<double>>* done_;
  std::vector<double> times_;
  double sent_ = 0;
  bool begun_ = false;
};

/// From a session to an actor and back.
class Bridge final : public transport::SessionEvents {
 public:
  void peer_up(const transport::PeerInfo& info) override {
    peer_ = info.peer;
    up.set_value();
  }
  void peer_down(transport::PeerId, const Error&) override { down.set_value(); }
  void message(transport::PeerId, std::span<const std::byte> bytes) override {
    caf::anon_send(actor, Bytes128(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  [[nodiscard]] Forward forward() {
    return [this](caf::event_based_actor&, const Bytes128& bytes) {
      std::vector<std::byte> frame(bytes.size());
      std::memcpy(frame.data(), bytes.data(), bytes.size());
      process->loop().post([this, frame = std::move(frame)]() mutable {
        process->session().send(peer_, std::move(frame), nullptr);
      });
    };
  }
  void close() {
    process->loop().post([this] { process->session().close(peer_, "done"); });
    down.get_future().wait();
  }
  Process* process = nullptr;
  caf::actor actor;
  std::promise<void> up, down;

 private:
  transport::PeerId peer_;
};

std::vector<double> over_session(bool ucx, std::size_t count) {
  const Setup setup{ucx, transport::BodySeal::sealed};
  transport::set_ucx_environment({});
  const auto server = fork_server([&](const Listen& listening) {
    Bridge bridge;
    Process process(setup, bridge, 1);
    bridge.process = &process;
    Configuration configuration(false);
    caf::actor_system system(configuration);
    bridge.actor = system.spawn<Echo>(bridge.forward());
    listening(process.session().listen("127.0.0.1:0").value());
    transport::LoopThread thread(process.loop());
    bridge.down.get_future().wait();
    thread.stop();
    caf::anon_send_exit(bridge.actor, caf::exit_reason::user_shutdown);
    bridge.actor = nullptr;
  });
  Bridge bridge;
  Process process(setup, bridge, 2);
  bridge.process = &process;
  Configuration configuration(false);
  caf::actor_system system(configuration);
  std::promise<std::vector<double>> done;
  bridge.actor = system.spawn<Pinger>(bridge.forward(), count, &done);
  process.session().connect(server.address, [](const Result<transport::PeerId>& peer) { FRENZY_CHECK(peer.ok()); });
  transport::LoopThread thread(process.loop());
  bridge.up.get_future().wait();
  caf::anon_send(bridge.actor, Bytes128(kBytes, 'x'));
  auto times = done.get_future().get();
  bridge.close();
  thread.stop();
  bridge.actor = nullptr;
  join_server(server);
  return times;
}

std::vector<double> over_basp(std::size_t count) {
  const auto server = fork_server([&](const Listen& listening) {
    Configuration configuration(true);
    caf::actor_system system(configuration);
    const auto echo = system.spawn<Echo>([](caf::event_based_actor& self, Bytes128 bytes) {
      self.send(caf::actor_cast<caf::actor>(self.current_sender()), std::move(bytes));
    });
    const auto port = system.middleman().publish(echo, 0, "127.0.0.1");
    FRENZY_CHECK(port);
    listening(std::to_string(*port));
  });
  Configuration configuration(true);
  caf::actor_system system(configuration);
  const auto port = static_cast<std::uint16_t>(std::atoi(server.address.c_str()));
  auto echo = system.middleman().remote_actor("127.0.0.1", port);
  FRENZY_CHECK(echo);
  std::promise<std::vector<double>> done;
  auto pinger = system.spawn<Pinger>(
      [to = *echo](caf::event_based_actor& self, Bytes128 bytes) { self.send(to, std::move(bytes)); }, count, &done);
  caf::anon_send(pinger, Bytes128(kBytes, 'x'));
  auto times = done.get_future().get();
  caf::anon_send_exit(*echo, caf::exit_reason::user_shutdown);
  join_server(server);
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view over = argc > 1 ? argv[1] : "ucx";
  const auto count = kWarmUp + static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 5000);
  auto times = over == "basp" ? over_basp(count) : over_session(over == "ucx", count);
  times.erase(times.begin(), times.begin() + kWarmUp);
  std::ranges::sort(times);
  std::printf("actor_latency over=%s round_trip_us=%.1f p99_us=%.1f\n", argc > 1 ? argv[1] : "ucx",
              times[times.size() / 2] * 1e6, times[times.size() * 99 / 100] * 1e6);
}
