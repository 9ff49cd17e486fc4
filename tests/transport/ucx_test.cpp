// What is particular to UCX: offers, trusted networks, the guard on its ports, the way back to tcp.
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "frenzy/base/text.hpp"
#include "frenzy/transport/trusted_networks.hpp"
#include "frenzy/transport/ucx_offer.hpp"
#include "listener_guard.hpp"
#include "frenzy/transport/socket_address.hpp"
#include "worlds.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using namespace frenzy::transport::test;

namespace {

UcxOffer full_offer() {
  UcxOffer out;
  out.shared_memory = out.network = true;
  out.token = 0x0102030405060708;
  out.place = {{1, 2, 3}, 10, 11, 12, 1000};
  out.shared_memory_address = {std::byte{0xaa}};
  out.network_address = {std::byte{0xbb}, std::byte{0xcc}};
  return out;
}

bool connects(const std::string& address) {
  const auto to = parse_numeric(address).value();
  const UniqueFd fd(::socket(to.family(), SOCK_STREAM, 0));
  const timeval wait{0, 300'000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
  return ::connect(fd.get(), to.get(), to.length) == 0;
}

struct NetworkInterface {
  std::string device, address;
};

std::optional<NetworkInterface> first_network_interface() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return std::nullopt;
  std::optional<NetworkInterface> out;
  for (const auto* at = all; at != nullptr && !out; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    if ((at->ifa_flags & IFF_LOOPBACK) != 0 || (at->ifa_flags & IFF_UP) == 0) continue;
    SocketAddress address;
    address.length = sizeof(sockaddr_in);
    std::memcpy(&address.storage, at->ifa_addr, address.length);
    const auto text = text_of(address);
    out = NetworkInterface{at->ifa_name, text.substr(0, text.rfind(':'))};
  }
  ::freeifaddrs(all);
  return out;
}

UniqueFd listener(const std::string& address) {
  const auto at = parse_numeric(address).value();
  UniqueFd fd(::socket(at.family(), SOCK_STREAM, 0));
  REQUIRE(::bind(fd.get(), at.get(), at.length) == 0);
  REQUIRE(::listen(fd.get(), 16) == 0);
  return fd;
}

}  // namespace

TEST_CASE("an offer has the bytes of version 1", "[ucx]") {
  const auto bytes = encode(full_offer());
  CHECK(hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}) ==
        "01030000" "0807060504030201" "01020300000000000000000000000000" "0a00000000000000"
        "0b00000000000000" "0c00000000000000" "e8030000" "0100aa" "0200bbcc");
  CHECK(decode_ucx_offer(bytes).value() == full_offer());
  CHECK(decode_ucx_offer({}).value() == UcxOffer{});
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    CHECK_FALSE(decode_ucx_offer(std::span(bytes).first(cut)).ok());
  }
}

TEST_CASE("shared memory needs the same boot, namespaces and uid on both sides", "[ucx]") {
  const auto mine = full_offer();
  CHECK(agree(mine, mine) == UcxPath::shared_memory);
  for (int field = 0; field < 5; ++field) {
    auto other = mine;
    if (field == 0) other.place.boot_id[0] = 9;
    if (field == 1) other.place.net_namespace = 9;
    if (field == 2) other.place.ipc_namespace = 9;
    if (field == 3) other.place.pid_namespace = 9;
    if (field == 4) other.place.uid = 9;
    CHECK(agree(mine, other) == UcxPath::network);
    other.network = false;
    CHECK(agree(mine, other) == UcxPath::none);
    CHECK(agree(other, mine) == UcxPath::none);
  }
}

TEST_CASE("trusted networks contain their hosts and never loopback", "[ucx]") {
  const auto nets = TrustedNetworks::parse({"10.1.0.0/16", "fd00:1::/33", "0.0.0.0/1", "::/1"}).value();
  CHECK(nets.contains("10.1.255.3:9"));
  CHECK(nets.contains("[fd00:1:0::7]:9"));
  CHECK_FALSE(nets.contains("192.168.0.1:9"));
  CHECK_FALSE(nets.contains("127.0.0.1:9"));
  CHECK_FALSE(nets.contains("[::1]:9"));
  CHECK_FALSE(nets.contains("name:9"));
  for (const auto* bad : {"10.0.0.0", "10.0.0.0/33", "x/8", "10.0.0.0/0", "fd00::/129"}) {
    CHECK_FALSE(TrustedNetworks::parse({bad}).ok());
  }
}

TEST_CASE("a guarded port admits listed hosts only, over IPv4 and IPv6", "[ucx]") {
  const auto four = listener("127.0.0.1:0"), six = listener("[::1]:0");
  const auto four_address = local_address_of(four.get()), six_address = local_address_of(six.get());
  CHECK(connects(four_address));
  ListenerGuard guard;
  REQUIRE(guard.protect({four.get(), six.get()}).ok());
  CHECK_FALSE(connects(four_address));
  CHECK_FALSE(connects(six_address));
  REQUIRE(guard.allow("10.0.0.7:1").ok());
  CHECK_FALSE(connects(four_address));
  REQUIRE(guard.allow("127.0.0.1:1").ok());
  REQUIRE(guard.allow("127.0.0.1:2").ok());
  CHECK(connects(four_address));
  CHECK_FALSE(connects(six_address));
  REQUIRE(guard.allow("[::1]:1").ok());
  CHECK(connects(six_address));
  guard.forbid("127.0.0.1:1");
  CHECK(connects(four_address));
  guard.forbid("127.0.0.1:2");
  CHECK_FALSE(connects(four_address));
  CHECK(connects(six_address));
}

TEST_CASE("the guard holds many hosts of both families and says when it is full", "[ucx]") {
  const auto four = listener("127.0.0.1:0");
  ListenerGuard guard;
  REQUIRE(guard.protect({four.get()}).ok());
  for (int i = 0; i < 160; ++i) REQUIRE(guard.allow(format("10.0.0.{}:1", i)).ok());
  Status last;
  for (int i = 0; i < 100 && last; ++i) last = guard.allow(format("[fd00::{}]:1", i));
  REQUIRE_FALSE(last.ok());
  CHECK(last.error().code == Errc::exhausted);
  CHECK_FALSE(connects(local_address_of(four.get())));
  guard.forbid("[fd00::1]:1");
  REQUIRE(guard.allow("127.0.0.1:1").ok());
  CHECK(connects(local_address_of(four.get())));
}

TEST_CASE("a side without UCX gets the gate socket, unless UCX is required", "[ucx]") {
  set_ucx_environment({});
  for (const auto use : {UcxUse::prefer, UcxUse::require}) {
    SystemClock clock;
    int made = 0;
    RealWorld world(
        [&](EventLoop& loop, Log& log) -> std::unique_ptr<Carrier> {
          if (made++ == 0) return std::make_unique<TcpCarrier>(loop, log);
          return std::move(make_ucx_carrier(loop, log, {.use = use})).value();
        },
        "127.0.0.1:0");
    auto& plain = world.add(HostOptions{});
    auto& ucx = world.add(HostOptions{});
    auto answer = std::make_shared<std::optional<Result<PeerId>>>();
    ucx.on_loop([&] { ucx.session().connect(plain.address, [answer](auto r) { answer->emplace(std::move(r)); }); });
    REQUIRE(eventually(world, ucx, [&] { return answer->has_value(); }));
    CHECK((*answer)->ok() == (use == UcxUse::prefer));
    if (use == UcxUse::prefer) {
      CHECK(ask(ucx, [&] { return ucx.events.ups.at(0).carrier; }) == "tcp");
    } else {
      CHECK((*answer)->error().what.find("neither a host nor a trusted network") != std::string::npos);
    }
  }
}

TEST_CASE("hosts of a trusted network use UCX over it and strangers cannot reach its port", "[ucx]") {
  const auto own = first_network_interface();
  if (!own) {
    WARN("this machine has no network interface besides loopback");
    return;
  }
  UcxOptions options;
  options.shared_memory = false;
  options.trusted_networks = {own->address + "/32"};
  options.devices = own->device;
  options.use = UcxUse::require;
  set_ucx_environment(options);
  const auto before = listening_sockets();
  RealWorld world(
      [&](EventLoop& loop, Log& log) -> std::unique_ptr<Carrier> {
        return std::move(make_ucx_carrier(loop, log, options)).value();
      },
      own->address + ":0");
  auto& a = world.add(HostOptions{});
  auto& b = world.add(HostOptions{});
  const auto connect = [&] {
    auto answer = std::make_shared<std::optional<Result<PeerId>>>();
    a.on_loop([&] { a.session().connect(b.address, [answer](auto r) { answer->emplace(std::move(r)); }); });
    REQUIRE(eventually(world, a, [&] { return answer->has_value(); }));
    if (!(*answer)->ok()) FAIL((*answer)->error().what);
    return (*answer)->value();
  };
  const auto peer = connect();
  CHECK(ask(a, [&] { return a.events.ups.at(0).carrier; }) == "ucx");
  const std::vector<std::byte> body(3'000'001, std::byte{0x5a});
  std::vector<std::byte> into(body.size());
  int received = 0, sent = 0;
  b.on_loop([&] {
    b.session().post_receive(b.events.ups.at(0).peer, {1, 1}, into, [&](const Status& s) { received = s.ok() ? 1 : -1; });
  });
  a.on_loop([&] { a.session().send_body(peer, {1, 1}, body, [&](const Status& s) { sent = s.ok() ? 1 : -1; }); });
  CHECK(eventually(world, b, [&] { return received == 1; }));
  CHECK(eventually(world, a, [&] { return sent == 1; }));
  CHECK(into == body);
  std::vector<int> opened;
  std::ranges::set_difference(listening_sockets(), before, std::back_inserter(opened));
  int guarded = 0;
  for (const int fd : opened) {
    const auto at = local_address_of(fd);
    if (at == a.address || at == b.address) continue;
    ++guarded;
    // Loopback has not authenticated, so its packets are dropped on the way in.
    CHECK_FALSE(connects("127.0.0.1" + at.substr(at.rfind(':'))));
  }
  CHECK(guarded >= 2);
  a.on_loop([&] { a.session().close(peer, "done"); });
  CHECK(eventually(world, b, [&] { return !b.events.downs.empty(); }));
  connect();
}

TEST_CASE("a stopped and restarted session leaves no descriptors and no shared memory", "[ucx]") {
  const auto count = [](const char* path) {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(path)) ++n;
    return n;
  };
  std::size_t descriptors = 0, segments = 0;
  for (int round = 0; round < 12; ++round) {
    {
      auto world = Ucx::make();
      auto& a = world->add();
      auto& b = world->add();
      auto answer = std::make_shared<std::optional<Result<PeerId>>>();
      a.on_loop([&] { a.session().connect(b.address, [answer](auto r) { answer->emplace(std::move(r)); }); });
      REQUIRE(eventually(*world, a, [&] { return answer->has_value(); }));
    }
    if (round == 2) {
      descriptors = count("/proc/self/fd");
      segments = count("/dev/shm");
    }
  }
  CHECK(count("/proc/self/fd") == descriptors);
  CHECK(count("/dev/shm") == segments);
}
