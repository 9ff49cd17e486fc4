// Strangers at the gate: whatever they send, they are refused, said so once, and others are served.
#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "frenzy/base/rng.hpp"
#include "frenzy/transport/frame.hpp"
#include "frenzy/transport/handshake_packets.hpp"
#include "frenzy/transport/socket_address.hpp"
#include "proxy.hpp"
#include "worlds.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using namespace frenzy::transport::test;

namespace {

UniqueFd raw_connect(const std::string& address) {
  const auto to = parse_numeric(address).value();
  UniqueFd fd(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid() || ::connect(fd.get(), to.get(), to.length) != 0) return UniqueFd();
  return fd;
}

void write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto wrote = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote <= 0) return;
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

/// Everything until the other side closes, or `limit` passes (then nothing).
std::optional<std::vector<std::byte>> read_to_end(int fd, std::chrono::seconds limit) {
  const timeval wait{limit.count(), 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  std::vector<std::byte> out;
  std::array<std::byte, 4096> some{};
  while (true) {
    const auto got = ::recv(fd, some.data(), some.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
    if (got <= 0) return out;
    out.insert(out.end(), some.begin(), some.begin() + got);
  }
}

std::vector<std::byte> text(std::string_view words) {
  const auto bytes = std::as_bytes(std::span(words.data(), words.size()));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> packet_of(std::vector<std::byte> bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  const auto head = std::as_bytes(std::span(&length, 1));
  bytes.insert(bytes.begin(), head.begin(), head.end());
  return bytes;
}

bool served(World& world, const std::string& address, std::chrono::milliseconds limit = 5s) {
  auto& client = world.add();
  auto answer = std::make_shared<std::optional<Result<PeerId>>>();
  client.on_loop([&] { client.session().connect(address, [answer](auto r) { answer->emplace(std::move(r)); }); });
  eventually(world, client, [&] { return answer->has_value(); }, limit);
  return ask(client, [&] { return answer->has_value() && (*answer)->ok(); });
}

long resident_mib() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096 / (1 << 20);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A child process that opens `count` connections and says nothing on them, until killed.
class IdleCrowd {
 public:
  IdleCrowd(const std::string& address, int count) {
    child_ = ::fork();
    if (child_ != 0) return;
    rlimit many{static_cast<rlim_t>(count) + 64, static_cast<rlim_t>(count) + 64};
    ::setrlimit(RLIMIT_NOFILE, &many);
    const auto to = parse_numeric(address).value();
    for (int i = 0; i < count; ++i) {
      const int fd = ::socket(to.family(), SOCK_STREAM, 0);
      ::connect(fd, to.get(), to.length);
    }
    ::pause();
    ::_exit(0);
  }
  ~IdleCrowd() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  IdleCrowd(const IdleCrowd&) = delete;
  IdleCrowd& operator=(const IdleCrowd&) = delete;

 private:
  pid_t child_ = -1;
};

}  // namespace

#define GATES Tcp4, Tcp6, Ucx

TEMPLATE_TEST_CASE("strangers' bytes are refused, logged once, and others are served", "[hostile]", GATES) {
  auto world = TestType::make();
  auto& server = world->add();
  std::vector<std::vector<std::byte>> openings = {
      std::vector<std::byte>(100, std::byte{0}), std::vector<std::byte>(68, std::byte{0}),
      text("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), text("SSH-2.0-OpenSSH_9.2\r\n"),
      std::vector<std::byte>(5000, std::byte{0xff}), packet_of(text("short")),
      packet_of(std::vector<std::byte>(kMaxPacket, std::byte{1}))};
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::byte> noise(1 + rng.below(300));
    for (auto& b : noise) b = static_cast<std::byte>(rng.next() & 0xffU);
    openings.push_back(i % 2 == 0 ? noise : packet_of(noise));
  }
  const auto before = resident_mib();
  for (const auto& bytes : openings) {
    const auto fd = raw_connect(server.address);
    REQUIRE(fd.valid());
    write_all(fd.get(), bytes);
    ::shutdown(fd.get(), SHUT_WR);
    REQUIRE(read_to_end(fd.get(), 4s));
  }
  CHECK(resident_mib() - before < 64);
  CHECK(served(*world, server.address));
  CHECK(server.log.count("session.refused") == 1);
  CHECK(server.log.lines().size() < 10);
}

TEMPLATE_TEST_CASE("an old protocol version gets an alert that names both", "[hostile]", GATES) {
  auto world = TestType::make();
  auto& server = world->add();
  Hello hello;
  hello.version = 0;
  const auto fd = raw_connect(server.address);
  write_all(fd.get(), packet_of(encode(hello)));
  const auto answer = read_to_end(fd.get(), 4s);
  REQUIRE(answer);
  REQUIRE(answer->size() > 4);
  const auto alert = decode_alert(std::span(*answer).subspan(4));
  REQUIRE(alert.ok());
  CHECK(alert->code == AlertCode::wrong_version);
  CHECK(alert->text == "protocol 1 here, 0 there");
}

TEMPLATE_TEST_CASE("half-open connections end with the handshake's deadline", "[hostile]", GATES) {
  auto world = TestType::make();
  auto& server = world->add();
  std::vector<UniqueFd> half;
  for (int i = 0; i < 20; ++i) {
    half.push_back(raw_connect(server.address));
    write_all(half.back().get(), std::vector<std::byte>{std::byte{128}, std::byte{0}});
  }
  CHECK(served(*world, server.address));
  for (const auto& fd : half) CHECK(read_to_end(fd.get(), 6s));
}

TEMPLATE_TEST_CASE("two thousand idle connections cost little and lock nobody out", "[hostile]", GATES) {
  auto world = TestType::make();
  auto& server = world->add();
  const auto memory = resident_mib();
  const auto descriptors = open_descriptors();
  const IdleCrowd crowd(server.address, 2000);
  world->wait([] { return false; }, 300ms);
  CHECK(served(*world, server.address, 10s));
  CHECK(resident_mib() - memory < 64);
  CHECK(open_descriptors() - descriptors < 64 + 40);
  world->wait([&] { return open_descriptors() - descriptors < 60; }, 6s);
  const auto cpu = cpu_seconds();
  world->wait([] { return false; }, 1000ms);
  CHECK(cpu_seconds() - cpu < 0.5);
  CHECK(server.log.lines().size() < 10);
}

TEMPLATE_TEST_CASE("out of descriptors the gate waits instead of spinning", "[hostile]", GATES) {
  auto world = TestType::make();
  auto& server = world->add();
  auto& friendly = world->add();
  auto answer = std::make_shared<std::optional<Result<PeerId>>>();
  friendly.on_loop([&] {
    friendly.session().connect(server.address, [answer](auto r) { answer->emplace(std::move(r)); });
  });
  REQUIRE(eventually(*world, friendly, [&] { return answer->has_value(); }));
  REQUIRE((*answer)->ok());
  rlimit old{};
  ::getrlimit(RLIMIT_NOFILE, &old);
  {
    const IdleCrowd crowd(server.address, 300);
    const rlimit tight{open_descriptors() + 16, old.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &tight);
    const auto cpu = cpu_seconds();
    world->wait([] { return false; }, 1500ms);
    CHECK(cpu_seconds() - cpu < 0.8);
    friendly.on_loop([&] { friendly.session().send((*answer)->value(), text("still served"), nullptr); });
    CHECK(eventually(*world, server, [&] { return server.events.messages.size() == 1; }, 5s));
  }
  ::setrlimit(RLIMIT_NOFILE, &old);
  CHECK(served(*world, server.address, 10s));
  CHECK(server.log.lines().size() < 10);
}

TEMPLATE_TEST_CASE("a byte changed between the hosts ends the link", "[hostile]", Tcp4, Tcp6) {
  auto world = TestType::make();
  auto& server = world->add();
  auto& client = world->add();
  for (const auto mischief : {Mischief::flip, Mischief::oversize, Mischief::repeat}) {
    Proxy proxy(server.address);
    auto answer = std::make_shared<std::optional<Result<PeerId>>>();
    client.on_loop([&] {
      client.session().connect(proxy.address(), [answer](auto r) { answer->emplace(std::move(r)); });
    });
    REQUIRE(eventually(*world, client, [&] { return answer->has_value(); }));
    REQUIRE((*answer)->ok());
    const auto downs = ask(server, [&] { return server.events.downs.size(); });
    proxy.arm(mischief);
    client.on_loop([&] { client.session().send((*answer)->value(), text("money: 100"), nullptr); });
    REQUIRE(eventually(*world, server, [&] { return server.events.downs.size() > downs; }));
    const auto why = ask(server, [&] { return server.events.downs.back().second; });
    INFO(why.what);
    CHECK(why.code == Errc::corrupt);
    CHECK(ask(server, [&] { return server.events.messages.size(); }) == (mischief == Mischief::repeat ? 1 : 0));
  }
}
