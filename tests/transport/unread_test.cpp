// Peers that were admitted and withhold a message: what this process holds for them is bounded, for
// each and for all, and honest peers are served.
#include <catch2/catch.hpp>

#include "frenzy/base/virtual_tasks.hpp"
#include "peer.hpp"
#include "simulated_world.hpp"
#include "unread_budget.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using namespace frenzy::transport::test;

namespace {

constexpr std::size_t kMiB = 1U << 20;

/// Passes everything on but the first large frame, which is neither sent nor given back.
class WithholdingCarrier final : public Carrier {
 public:
  explicit WithholdingCarrier(Carrier& below) : below_(below) {}
  void start(CarrierEvents& events) override { below_.start(events); }
  void stop() override { below_.stop(); }
  Result<std::string> listen(const std::string& address) override { return below_.listen(address); }
  LinkId connect(const std::string& address) override { return below_.connect(address); }
  void send_packet(LinkId link, std::vector<std::byte> bytes) override { below_.send_packet(link, std::move(bytes)); }
  std::vector<std::byte> offer(LinkId link, std::span<const std::byte> theirs) override {
    return below_.offer(link, theirs);
  }
  void upgrade(LinkId link, std::span<const std::byte> offer) override { below_.upgrade(link, offer); }
  void send(LinkId link, const OutFrame& frame) override {
    if (frame.payload.size() > 1000 && !std::exchange(withheld_, true)) return;
    below_.send(link, frame);
  }
  void close(LinkId link) override { below_.close(link); }
  Result<int> release(LinkId link) override { return below_.release(link); }
  std::string local_address(LinkId link) const override { return below_.local_address(link); }
  std::string_view name(LinkId link) const override { return below_.name(link); }
  std::string_view reason(LinkId link) const override { return below_.reason(link); }
  std::uint32_t window() const override { return below_.window(); }

 private:
  Carrier& below_;
  bool withheld_ = false;
};

PeerId connected(SimulatedWorld& world, Host& from, Host& to) {
  std::optional<Result<PeerId>> answer;
  from.session().connect(to.address, [&](auto r) { answer.emplace(std::move(r)); });
  REQUIRE(world.wait([&] { return answer.has_value(); }, 10s));
  REQUIRE(answer->ok());
  return answer->value();
}

/// A Peer alone, and somebody with its keys who sends it whatever he likes.
class Forger final : private PeerOwner, private Carrier {
 public:
  Forger()
      : crypto_(make_simulated_crypto(1)),
        theirs_(*crypto_, keys(true)),
        peer_({*this, *this, events, pool_, time.clock()}, LinkId{1}, PeerInfo{}, "here -> there",
              Channel(*crypto_, keys(false)), 10s) {
    peer_.set_up();
  }

  /// Announces a message; what the peer answers to that.
  Status announce(std::uint64_t sequence, std::size_t bytes, std::uint64_t* token = nullptr) {
    payload_.assign(bytes, std::byte{1});
    const auto wire = theirs_.seal({.kind = FrameKind::message, .first = sequence}, BodySeal::sealed, payload_, payload_);
    const auto landing = peer_.header(wire);
    if (!landing) return landing.error();
    std::copy(payload_.begin(), payload_.end(), landing->into.begin());
    if (token != nullptr) *token = landing->token;
    return {};
  }
  Status send(std::uint64_t sequence, std::size_t bytes) {
    std::uint64_t token = 0;
    const auto landed = announce(sequence, bytes, &token);
    if (landed) peer_.arrived(token);
    return landed;
  }

  VirtualTasks time;
  Recorder events;
  UnreadBudget budget;
  std::size_t credits = 0;
  bool closed = false;

 private:
  static ChannelKeys keys(bool caller) {
    return {AeadKind::toy, AeadKind::toy, Key{}, caller};
  }
  void peer_ready(Peer&) override {}
  void post(Task task) override { time.post(std::move(task)); }
  TimerId after(std::chrono::nanoseconds delay, Task task) override { return time.at(time.clock().now() + delay, std::move(task)); }
  void cancel(TimerId timer) override { time.cancel(timer); }
  Status hold_unread(LinkId link, std::uint64_t bytes) override {
    budget.hold(link, bytes, time.clock().now());
    return {};
  }
  void release_unread(LinkId link, std::uint64_t bytes) override { budget.release(link, bytes); }

  void start(CarrierEvents&) override {}
  void stop() override {}
  Result<std::string> listen(const std::string&) override { return std::string(); }
  LinkId connect(const std::string&) override { return {}; }
  void send_packet(LinkId, std::vector<std::byte>) override {}
  std::vector<std::byte> offer(LinkId, std::span<const std::byte>) override { return {}; }
  void upgrade(LinkId, std::span<const std::byte>) override {}
  void send(LinkId, const OutFrame&) override { ++credits; }
  void close(LinkId) override { closed = true; }
  Result<int> release(LinkId) override { return error(Errc::unsupported, "no socket"); }
  std::string local_address(LinkId) const override { return "here"; }
  std::string_view name(LinkId) const override { return "forged"; }
  std::string_view reason(LinkId) const override { return "test"; }
  std::uint32_t window() const override { return 64; }

  std::unique_ptr<Crypto> crypto_;
  BufferPool pool_;
  Channel theirs_;
  Peer peer_;
  std::vector<std::byte> payload_;
};

}  // namespace

TEST_CASE("a peer that withholds a message is refused more than 8 MiB, with the numbers", "[unread]") {
  Forger forger;
  for (std::uint64_t sequence = 1; sequence <= 8; ++sequence) REQUIRE(forger.send(sequence, kMiB));
  CHECK(forger.budget.total() == kMaxUnreadBytes);
  CHECK(forger.credits == 0);
  const auto more = forger.send(9, 1);
  REQUIRE_FALSE(more);
  CHECK(more.error().code == Errc::exhausted);
  CHECK_THAT(format("{}", more.error()), Catch::Matchers::Contains("8388609") && Catch::Matchers::Contains("message 0 is missing"));
}

TEST_CASE("what arrives and never ends counts too", "[unread]") {
  Forger forger;
  for (std::uint64_t sequence = 0; sequence < 8; ++sequence) REQUIRE(forger.announce(sequence, kMiB));
  CHECK_FALSE(forger.announce(8, 1));
}

TEST_CASE("with the missing message everything is read, in order, and given back", "[unread]") {
  Forger forger;
  for (std::uint64_t sequence = 7; sequence >= 1; --sequence) REQUIRE(forger.send(sequence, kMiB - sequence));
  REQUIRE(forger.send(0, kMiB));
  REQUIRE(forger.events.messages.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(forger.events.messages[i].size() == kMiB - i);
  CHECK(forger.budget.total() == 0);
  CHECK(forger.credits > 0);
  CHECK_FALSE(forger.closed);
}

TEST_CASE("a window of empty messages may wait for one, and no more", "[unread]") {
  Forger forger;
  for (std::uint64_t sequence = 1; sequence < 64; ++sequence) REQUIRE(forger.send(sequence, 0));
  CHECK_FALSE(forger.closed);
  CHECK(forger.credits == 0);
  (void)forger.send(64, 0);
  CHECK(forger.closed);
}

TEST_CASE("of many peers the one goes that has held longest", "[unread]") {
  UnreadBudget budget;
  TimePoint now{};
  budget.hold(LinkId{3}, 5, now);
  budget.hold(LinkId{1}, 50, now + 1s);
  budget.hold(LinkId{3}, 5, now + 2s);
  CHECK(budget.longest() == LinkId{3});
  budget.release(LinkId{3}, 10);
  CHECK(budget.longest() == LinkId{1});
  budget.hold(LinkId{3}, 1, now + 3s);
  CHECK(budget.longest() == LinkId{1});
  CHECK(budget.total() == 51);
  budget.forget(LinkId{1});
  budget.release(LinkId{1}, 50);
  CHECK(budget.total() == 1);
}

TEST_CASE("forty peers that withhold do not make the process hold more than its limit, and an honest one is served",
          "[unread]") {
  SimulatedWorld world;
  auto& victim = world.add(HostOptions{});
  HostOptions dishonest;
  dishonest.wrap = [](Carrier& below) { return std::make_unique<WithholdingCarrier>(below); };
  std::vector<std::pair<Host*, PeerId>> attackers;
  for (int i = 0; i < 40; ++i) {
    auto& host = world.add(dishonest);
    attackers.emplace_back(&host, connected(world, host, victim));
    for (int k = 0; k < 20; ++k) host.session().send(attackers.back().second, std::vector<std::byte>(kMiB), nullptr);
    world.wait([] { return false; }, 20ms);
  }
  // 7 MiB of each can lie here (of 8 sent one is withheld), 18 of them fill 128 MiB: 22 had to go.
  CHECK(world.wait([&] { return victim.events.downs.size() >= 22; }, 1s));
  CHECK(victim.events.downs.size() == 22);
  for (const auto& [peer, why] : victim.events.downs) {
    CHECK(why.code == Errc::exhausted);
    CHECK_THAT(format("{}", why), Catch::Matchers::Contains("the limit is 134217728"));
  }
  CHECK(victim.events.messages.empty());
  auto& honest = world.add(HostOptions{});
  const auto peer = connected(world, honest, victim);
  for (int k = 0; k < 40; ++k) honest.session().send(peer, std::vector<std::byte>(kMiB, std::byte(k)), nullptr);
  CHECK(world.wait([&] { return victim.events.messages.size() == 40; }, 5s));
  CHECK(honest.events.downs.empty());
}
