// A runner is reached through its node's gate: the node reads the first packet, sees who is wanted,
// and passes the socket on to the runner's process.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>

#include "frenzy/transport/pass_socket.hpp"
#include "worlds.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using namespace frenzy::transport::test;

namespace {

const Uuid kRunner{{9, 9, 9}};

class PassOn final : public Handover {
 public:
  explicit PassOn(int through) : through_(through) {}
  [[nodiscard]] bool knows(const Uuid& target) const override { return target == kRunner; }
  void take(const Uuid&, int socket, std::vector<std::byte> first) override {
    passed = pass_socket(through_, {UniqueFd(socket), std::move(first)}).ok();
  }
  std::atomic<bool> passed{false};

 private:
  int through_;
};

/// Echoes messages until its peer goes.
class Echo final : public SessionEvents {
 public:
  explicit Echo(EventLoop& loop) : loop_(loop) {}
  void peer_up(const PeerInfo&) override {}
  void peer_down(PeerId, const Error&) override { loop_.stop(); }
  void message(PeerId peer, std::span<const std::byte> bytes) override {
    session->send(peer, {bytes.begin(), bytes.end()}, nullptr);
  }
  Session* session = nullptr;

 private:
  EventLoop& loop_;
};

std::unique_ptr<SocketCarrier> make_carrier(bool ucx, EventLoop& loop, Log& log) {
  if (!ucx) return std::make_unique<TcpCarrier>(loop, log);
  return std::move(make_ucx_carrier(loop, log, {.use = UcxUse::require})).value();
}

[[noreturn]] void be_runner(bool ucx, int through) {
  const SystemClock clock;
  NullLog log;
  if (ucx) set_ucx_environment({});
  auto loop = EventLoop::create(clock).value();
  auto crypto = crypto::make_crypto().value();
  auto carrier = make_carrier(ucx, *loop, log);
  auto options = session_options({}, *crypto, 0);
  options.role = Role::runner;
  options.uuid = kRunner;
  ClusterAdmission admission(*crypto, options.admission_key);
  Echo echo(*loop);
  auto session = make_session(options, {*carrier, *loop, *crypto, log, admission, echo}).value();
  echo.session = session.get();
  const auto watched = loop->watch(through, EPOLLIN, [&](std::uint32_t) {
    auto passed = receive_socket(through);
    if (passed) carrier->adopt(std::move(passed->socket), std::move(passed->first));
  });
  loop->run();
  session.reset();
  ::_exit(watched ? 0 : 1);
}

}  // namespace

TEST_CASE("a runner is reached through its node's gate in another process", "[handover]") {
  for (const bool ucx : {false, true}) {
    std::array<int, 2> pair{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) == 0);
    const auto child = ::fork();
    if (child == 0) be_runner(ucx, pair[1]);
    ::close(pair[1]);
    PassOn pass_on(pair[0]);
    {
      auto world = ucx ? Ucx::make() : Tcp4::make();
      HostOptions node;
      node.handover = &pass_on;
      auto& gate = world->add(node);
      auto& client = world->add();
      auto answer = std::make_shared<std::optional<Result<PeerId>>>();
      client.on_loop([&] {
        client.session().connect(gate.address, kRunner, [answer](auto r) { answer->emplace(std::move(r)); });
      });
      REQUIRE(eventually(*world, client, [&] { return answer->has_value(); }));
      if (!(*answer)->ok()) FAIL((*answer)->error().what);
      CHECK(pass_on.passed);
      const auto info = ask(client, [&] { return client.events.ups.at(0); });
      CHECK(info.role == Role::runner);
      CHECK(info.uuid == kRunner);
      CHECK(info.carrier == (ucx ? "ucx" : "tcp"));
      CHECK(ask(gate, [&] { return gate.events.ups.size(); }) == 0);
      client.on_loop([&] {
        client.session().send((*answer)->value(), std::vector<std::byte>(5000, std::byte{3}), nullptr);
      });
      CHECK(eventually(*world, client, [&] { return client.events.messages.size() == 1; }));
      client.on_loop([&] { client.session().close((*answer)->value(), "done"); });
      eventually(*world, client, [&] { return !client.events.downs.empty(); });
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    ::close(pair[0]);
  }
}

TEST_CASE("a connection for an unknown target is refused by name", "[handover]") {
  auto world = Tcp4::make();
  auto& gate = world->add();
  auto& client = world->add();
  auto answer = std::make_shared<std::optional<Result<PeerId>>>();
  client.on_loop([&] {
    client.session().connect(gate.address, kRunner, [answer](auto r) { answer->emplace(std::move(r)); });
  });
  REQUIRE(eventually(*world, client, [&] { return answer->has_value(); }));
  REQUIRE_FALSE((*answer)->ok());
  CHECK((*answer)->error().code == Errc::refused);
  CHECK((*answer)->error().what.find("09090900-0000") != std::string::npos);
}

TEST_CASE("a peer killed in another process is noticed at once", "[handover]") {
  for (const bool ucx : {false, true}) {
    std::array<int, 2> pair{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) == 0);
    const auto child = ::fork();
    if (child == 0) be_runner(ucx, pair[1]);
    ::close(pair[1]);
    PassOn pass_on(pair[0]);
    auto world = ucx ? Ucx::make() : Tcp4::make();
    HostOptions node;
    node.handover = &pass_on;
    node.heartbeat = 5000ms;
    auto& gate = world->add(node);
    auto& client = world->add(node);
    auto answer = std::make_shared<std::optional<Result<PeerId>>>();
    client.on_loop([&] {
      client.session().connect(gate.address, kRunner, [answer](auto r) { answer->emplace(std::move(r)); });
    });
    REQUIRE(eventually(*world, client, [&] { return answer->has_value(); }));
    REQUIRE((*answer)->ok());
    std::vector<std::byte> body(8U << 20);
    int runs = 0;
    client.on_loop([&] {
      client.session().send_body((*answer)->value(), {1, 1}, body, [&](const Status& s) { runs += s.ok() ? 100 : 1; });
    });
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(eventually(*world, client, [&] { return client.events.downs.size() == 1; }, 3s));
    CHECK(ask(client, [&] { return runs; }) == 1);
    world.reset();
    ::close(pair[0]);
  }
}
