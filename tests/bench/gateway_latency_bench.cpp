// Round trip of a request through everything that a real one passes: actor -> gateway -> Cap'n Proto ->
// session -> the other process's gateway -> its actor, and the answer back, with the correlation kept on
// both sides. Beside bench_actor_latency, which has the session alone between the actors.
// Usage: bench_gateway_latency ucx|tcp [round trips]

#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string_view>

#include "bench_process.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/base/check.hpp"

using namespace frenzy;
using namespace frenzy::bench;
using actors::Msg;

namespace {

constexpr std::size_t kWarmUp = 500;
constexpr std::size_t kText = 100;  // about 128 bytes on the wire

struct Configuration : caf::actor_system_config {
  Configuration() { set("scheduler.policy", caf::atom("sharing")); }
};

/// Answers every request.
class Answerer final : public caf::event_based_actor {
 public:
  Answerer(caf::actor_config& config, caf::actor gateway, std::promise<void>* gone)
      : caf::event_based_actor(config), gateway_(std::move(gateway)), gone_(gone) {}
  caf::behavior make_behavior() override {
    return {
        [](const Msg<actors::PeerUp>&) {},
        [this](const Msg<actors::PeerDown>&) { gone_->set_value(); },
        [this](const Msg<actors::Incoming>& m) {
          caf::anon_send(gateway_, actors::msg(actors::Reply{m->peer.peer, m->correlation, codec::Accepted{}}));
        },
    };
  }
  void on_exit() override { gateway_ = nullptr; }

 private:
  caf::actor gateway_;
  std::promise<void>* gone_;
};

/// Asks `count` times, one request under way at a time.
class Asker final : public caf::event_based_actor {
 public:
  Asker(caf::actor_config& config, caf::actor gateway, std::size_t count, std::promise<std::vector<double>>* answer)
      : caf::event_based_actor(config), gateway_(std::move(gateway)), count_(count), done_(answer) {}
  caf::behavior make_behavior() override {
    return {
        [this](const Msg<actors::PeerUp>& m) {
          peer_ = m->peer.peer;
          ask();
        },
        [](const Msg<actors::PeerDown>&) {},
    };
  }
  void on_exit() override { gateway_ = nullptr; }

 private:
  void ask() {
    const double sent = seconds_now();
    request(gateway_, caf::infinite, actors::msg(actors::Ask{peer_, codec::ShowJob{std::string(kText, 'x')}, {}}))
        .then([this, sent](const Msg<actors::Answer>& answer) {
          FRENZY_CHECK(answer->ok());
          times_.push_back(seconds_now() - sent);
          if (times_.size() < count_) return ask();
          caf::anon_send(gateway_, actors::msg(actors::Disconnect{peer_, "done"}));
          done_->set_value(std::move(times_));
        });
  }

  caf::actor gateway_;
  transport::PeerId peer_;
  std::size_t count_;
  std::promise<std::vector<double>>* done_;
  std::vector<double> times_;
};

/// A process with a gateway whose owner is an `Owner`.
template <class Owner, class... Arguments>
class Side {
 public:
  Side(const Setup& setup, std::uint8_t number, Arguments... arguments) : process_(setup, bridge_, number) {
    env_.tasks = &process_.loop();
    gateway_ = actors::spawn_gateway(system_, env_, process_.session());
    owner_ = system_.spawn<Owner>(gateway_, arguments...);
    caf::anon_send(gateway_, actors::msg(actors::SetOwner{owner_}));
    bridge_.attach(process_.session(), gateway_);
  }
  ~Side() {
    bridge_.detach();
    for (const auto& actor : {owner_, gateway_}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  Side(Side&&) = delete;
  Side& operator=(Side&&) = delete;

  Process& process() { return process_; }

 private:
  NullLog log_;
  actors::Environment env_{nullptr, &log_};
  actors::SessionBridge bridge_{env_};
  Process process_;
  Configuration configuration_;
  caf::actor_system system_{configuration_};
  caf::actor gateway_, owner_;
};

std::vector<double> round_trips(bool ucx, std::size_t count) {
  const Setup setup{ucx, transport::BodySeal::sealed};
  transport::set_ucx_environment({});
  const auto server = fork_server([&](const Listen& listening) {
    std::promise<void> gone;
    Side<Answerer, std::promise<void>*> side(setup, 1, &gone);
    listening(side.process().session().listen("127.0.0.1:0").value());
    transport::LoopThread thread(side.process().loop());
    gone.get_future().wait();
    thread.stop();
  });
  std::promise<std::vector<double>> done;
  Side<Asker, std::size_t, std::promise<std::vector<double>>*> side(setup, 2, count, &done);
  side.process().session().connect(server.address, [](const Result<transport::PeerId>& peer) { FRENZY_CHECK(peer.ok()); });
  transport::LoopThread thread(side.process().loop());
  auto times = done.get_future().get();
  join_server(server);
  thread.stop();
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view over = argc > 1 ? argv[1] : "ucx";
  const auto count = kWarmUp + static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 5000);
  auto times = round_trips(over == "ucx", count);
  times.erase(times.begin(), times.begin() + kWarmUp);
  std::ranges::sort(times);
  std::printf("gateway_latency over=%s round_trip_us=%.1f p99_us=%.1f\n", argc > 1 ? argv[1] : "ucx",
              times[times.size() / 2] * 1e6, times[times.size() * 99 / 100] * 1e6);
}
