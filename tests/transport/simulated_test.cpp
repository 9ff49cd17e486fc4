// Faults of the simulated network, and what a simulated run promises: one thread, one seed, one result.
#include <catch2/catch.hpp>

#include <cstring>
#include <filesystem>

#include "simulated_world.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using namespace frenzy::transport::test;

namespace {

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

PeerId connect(SimulatedWorld& world, Host& from, Host& to) {
  std::optional<Result<PeerId>> answer;
  from.session().connect(to.address, [&](auto r) { answer.emplace(std::move(r)); });
  REQUIRE(world.wait([&] { return answer.has_value() && !to.events.ups.empty(); }, 10s));
  REQUIRE(answer->ok());
  return answer->value();
}

std::vector<std::byte> numbered(std::uint32_t number, std::size_t size) {
  std::vector<std::byte> out(size);
  std::memcpy(out.data(), &number, sizeof(number));
  return out;
}

/// Two hosts exchange messages and bodies over a lossy network; everything seen, as text.
std::string story(std::uint64_t seed) {
  SimulatedNetworkOptions options;
  options.seed = seed;
  options.loss = 0.05;
  SimulatedWorld world(options);
  HostOptions calm;
  calm.heartbeat = 500ms;
  auto& a = world.add(calm);
  auto& b = world.add(calm);
  const auto to_b = connect(world, a, b);
  std::string out;
  const auto stamp = [&](std::string_view what, std::size_t n) {
    out += format("{} {} {}\n", world.time.clock().now().time_since_epoch().count(), what, n);
  };
  std::vector<std::byte> body(3'000'000, std::byte{7}), into(body.size());
  b.session().post_receive(b.events.ups[0].peer, {1, 2}, into, [&](const Status& s) { stamp("body", s.ok()); });
  a.session().send_body(to_b, {1, 2}, body, nullptr);
  b.events.on_message = [&](PeerId, const auto& bytes) { stamp("message", bytes.size()); };
  for (std::uint32_t i = 0; i < 50; ++i) a.session().send(to_b, numbered(i, 4 + i * 700), nullptr);
  REQUIRE(world.wait([&] { return b.events.messages.size() == 50 && into == body; }, 60s));
  for (std::uint32_t i = 0; i < 50; ++i) {
    REQUIRE(b.events.messages[i] == numbered(i, 4 + i * 700));
  }
  return out + format("events {}", world.time.events());
}

}  // namespace

TEST_CASE("a simulated run is a function of its seed and creates no thread", "[simulated]") {
  const auto before = threads_of_this_process();
  const auto first = story(5);
  CHECK(threads_of_this_process() == before);
  CHECK(first == story(5));
  CHECK(first != story(6));
}

TEST_CASE("order and content hold over a hundred lossy, reordering networks", "[simulated]") {
  for (std::uint64_t seed = 100; seed < 200; ++seed) (void)story(seed);
}

TEST_CASE("a link cut one way is noticed on the deaf side first and then on both", "[simulated]") {
  SimulatedWorld world;
  auto& a = world.add({});
  auto& b = world.add({});
  connect(world, a, b);
  world.network.cut("host1", "host2");
  REQUIRE(world.wait([&] { return !b.events.downs.empty(); }, 5s));
  CHECK(b.events.downs[0].second.code == Errc::timed_out);
  REQUIRE(world.wait([&] { return !a.events.downs.empty(); }, 5s));
}

TEST_CASE("a short cut heals without losing a message", "[simulated]") {
  SimulatedWorld world;
  HostOptions calm;
  calm.heartbeat = 500ms;
  auto& a = world.add(calm);
  auto& b = world.add(calm);
  const auto to_b = connect(world, a, b);
  world.network.cut_both("host1", "host2");
  for (std::uint32_t i = 0; i < 20; ++i) a.session().send(to_b, numbered(i, 100), nullptr);
  world.time.run_for(1s);
  CHECK(b.events.messages.empty());
  world.network.heal_both("host1", "host2");
  REQUIRE(world.wait([&] { return b.events.messages.size() == 20; }, 5s));
  CHECK(b.events.messages[19] == numbered(19, 100));
  CHECK(a.events.downs.empty());
}

TEST_CASE("a process that was itself frozen does not blame its peers", "[simulated]") {
  SimulatedWorld world;
  HostOptions patient;
  patient.heartbeat = 1000ms;
  auto& a = world.add(patient);
  HostOptions other = patient;
  auto& b = world.add(other);
  connect(world, a, b);
  world.time.run_for(100ms);
  world.network.freeze("host1");
  world.time.run_for(4500ms);
  world.network.thaw("host1");
  world.time.run_for(20s);
  CHECK(a.events.downs.empty());
  CHECK(b.events.downs.empty());
}

TEST_CASE("connecting across a cut ends with the handshake's deadline", "[simulated]") {
  SimulatedWorld world;
  auto& a = world.add({});
  auto& b = world.add({});
  world.network.cut("host2", "host1");
  std::optional<Result<PeerId>> answer;
  a.session().connect(b.address, [&](auto r) { answer.emplace(std::move(r)); });
  REQUIRE(world.wait([&] { return answer.has_value(); }, 3s));
  CHECK(answer->error().code == Errc::unreachable);
  CHECK(answer->error().what.find("2000 ms") != std::string::npos);
}

TEST_CASE("a process killed and started again is a new peer", "[simulated]") {
  SimulatedWorld world;
  auto& a = world.add({});
  auto& b = world.add({});
  const auto first = connect(world, a, b);
  b.kill();
  REQUIRE(world.wait([&] { return !a.events.downs.empty(); }, 5s));
  CHECK(a.events.downs[0].first == first);
  CHECK(a.events.downs[0].second.what.find("killed") != std::string::npos);
}
