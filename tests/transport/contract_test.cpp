// What every carrier must give the session, in one file for all of them.
#include <catch2/catch.hpp>

#include <algorithm>

#include "worlds.hpp"

using namespace frenzy;
using namespace frenzy::transport;
using namespace frenzy::transport::test;

namespace {

std::vector<std::byte> pattern(std::size_t size, std::uint64_t seed = 1) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = static_cast<std::byte>((i * 2654435761U + seed * 97 + (i >> 13)) & 0xffU);
  }
  return out;
}

std::vector<std::byte> text(std::string_view words) {
  const auto bytes = std::as_bytes(std::span(words.data(), words.size()));
  return {bytes.begin(), bytes.end()};
}

/// How often a Done ran and with what.
struct Outcome {
  int runs = 0;
  std::optional<Error> failed;
  Done done() {
    return [this](const Status& status) {
      ++runs;
      if (!status) failed = status.error();
    };
  }
  [[nodiscard]] bool good() const { return runs == 1 && !failed; }
};

std::optional<Result<PeerId>> dial(World& world, Host& from, const std::string& address,
                                   std::chrono::milliseconds limit = 10s) {
  auto answer = std::make_shared<std::optional<Result<PeerId>>>();
  from.on_loop([&] { from.session().connect(address, [answer](auto r) { answer->emplace(std::move(r)); }); });
  eventually(world, from, [answer] { return answer->has_value(); }, limit);
  return ask(from, [answer] { return *answer; });
}

/// Two connected hosts, and what each calls the other.
struct Pair {
  explicit Pair(World& w, const HostOptions& a_options = {}, const HostOptions& b_options = {})
      : world(w), a(w.add(a_options)), b(w.add(b_options)) {
    auto dialled = dial(world, a, b.address);
    REQUIRE(dialled);
    if (!dialled->ok()) FAIL(dialled->error().what);
    to_b = dialled->value();
    REQUIRE(eventually(world, b, [this] { return !b.events.ups.empty(); }));
    to_a = ask(b, [this] { return b.events.ups.back().peer; });
  }
  void send_body(BodyTag tag, std::span<const std::byte> body, Outcome& out) {
    a.on_loop([&] { a.session().send_body(to_b, tag, body, out.done()); });
  }
  void grant(BodyTag tag, std::span<std::byte> into, Outcome& out) {
    b.on_loop([&] { b.session().post_receive(to_a, tag, into, out.done()); });
  }
  bool ran(Host& host, Outcome& out) {
    return eventually(world, host, [&] { return out.runs > 0; });
  }
  World& world;
  Host& a;
  Host& b;
  PeerId to_b, to_a;
};

}  // namespace

TEMPLATE_TEST_CASE("messages arrive whole and in order", "[contract]", CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  constexpr int kCount = 300;
  std::vector<Outcome> sent(kCount);
  pair.a.on_loop([&] {
    for (int i = 0; i < kCount; ++i) {
      const auto size = i % 50 == 7 ? 900'000U : static_cast<unsigned>(i * 13 % 3000);
      pair.a.session().send(pair.to_b, pattern(size, static_cast<std::uint64_t>(i)),
                            sent[static_cast<std::size_t>(i)].done());
    }
  });
  REQUIRE(eventually(*world, pair.b, [&] { return pair.b.events.messages.size() == kCount; }, 30s));
  pair.b.on_loop([&] {
    for (int i = 0; i < kCount; ++i) {
      const auto& got = pair.b.events.messages[static_cast<std::size_t>(i)];
      const auto size = i % 50 == 7 ? 900'000U : static_cast<unsigned>(i * 13 % 3000);
      if (got != pattern(size, static_cast<std::uint64_t>(i))) FAIL("message " << i << " differs");
    }
  });
  REQUIRE(eventually(*world, pair.a, [&] {
    return std::ranges::all_of(sent, [](const Outcome& o) { return o.good(); });
  }));
  CHECK(ask(pair.a, [&] { return pair.a.session().stats(pair.to_b).messages_sent; }) == kCount);
}

TEMPLATE_TEST_CASE("both sides learn who the other is", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions coordinator;
  coordinator.role = Role::coordinator;
  Pair pair(*world, {}, coordinator);
  const auto seen = ask(pair.a, [&] { return pair.a.events.ups.at(0); });
  CHECK(seen.role == Role::coordinator);
  CHECK(seen.uuid == pair.b.uuid);
  CHECK(seen.outgoing);
  CHECK(seen.remote_address == pair.b.address);
  CHECK(seen.carrier == TestType::kCarrier);
  const auto back = ask(pair.b, [&] { return pair.b.events.ups.at(0); });
  CHECK(back.role == Role::node);
  CHECK(back.uuid == pair.a.uuid);
  CHECK_FALSE(back.outgoing);
  CHECK(back.local_address == pair.b.address);
  CHECK(back.remote_address == seen.local_address);
}

TEMPLATE_TEST_CASE("bodies of every awkward size arrive unchanged", "[contract]", CARRIERS) {
  auto world = TestType::make();
  for (const auto seal : {BodySeal::sealed, BodySeal::authenticated, BodySeal::clear}) {
    HostOptions options;
    options.body_seal = seal;
    Pair pair(*world, options, options);
    CHECK(ask(pair.a, [&] { return pair.a.events.ups.at(0).body_seal; }) == seal);
    std::uint64_t low = 0;
    for (const std::size_t size : {0UL, 1UL, kFragment - 1, kFragment, kFragment + 1, 5 * kFragment + 3}) {
      for (const bool grant_first : {true, false}) {
        const auto body = pattern(size, ++low);
        std::vector<std::byte> into(size, std::byte{0xee});
        Outcome sent, received;
        const BodyTag tag{9, low};
        if (grant_first) pair.grant(tag, into, received);
        pair.send_body(tag, body, sent);
        if (!grant_first) {
          world->wait([] { return false; }, 5ms);
          CHECK(ask(pair.a, [&] { return sent.runs; }) == 0);
          pair.grant(tag, into, received);
        }
        REQUIRE(pair.ran(pair.b, received));
        REQUIRE(pair.ran(pair.a, sent));
        CHECK(received.good());
        CHECK(sent.good());
        CHECK(into == body);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a weaker body seal needs the wish of both sides", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions clear;
  clear.body_seal = BodySeal::clear;
  HostOptions authenticated;
  authenticated.body_seal = BodySeal::authenticated;
  Pair pair(*world, clear, authenticated);
  CHECK(ask(pair.a, [&] { return pair.a.events.ups.at(0).body_seal; }) == BodySeal::authenticated);
  CHECK(ask(pair.b, [&] { return pair.b.events.ups.at(0).body_seal; }) == BodySeal::authenticated);
}

TEMPLATE_TEST_CASE("a grant of another length fails both sides and nothing else", "[contract]",
                   CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  for (const bool grant_first : {true, false}) {
    const auto body = pattern(100);
    std::vector<std::byte> into(99, std::byte{0xee});
    Outcome sent, received;
    const BodyTag tag{1, grant_first ? 1U : 2U};
    if (grant_first) pair.grant(tag, into, received);
    pair.send_body(tag, body, sent);
    if (!grant_first) pair.grant(tag, into, received);
    REQUIRE(pair.ran(pair.a, sent));
    REQUIRE(pair.ran(pair.b, received));
    REQUIRE(sent.failed);
    REQUIRE(received.failed);
    CHECK(sent.failed->code == Errc::invalid_argument);
    CHECK(received.failed->code == Errc::invalid_argument);
    CHECK(received.failed->what.find("100") != std::string::npos);
    CHECK(into == std::vector<std::byte>(99, std::byte{0xee}));
  }
  Outcome alive;
  pair.a.on_loop([&] { pair.a.session().send(pair.to_b, text("still here"), alive.done()); });
  REQUIRE(pair.ran(pair.a, alive));
  CHECK(alive.good());
}

TEMPLATE_TEST_CASE("many bodies travel at once and none is mixed up", "[contract]", CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  constexpr std::size_t kCount = 48;
  std::vector<std::vector<std::byte>> bodies(kCount), landed(kCount);
  std::vector<Outcome> sent(kCount), received(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    bodies[i] = pattern(i * 70'001, i);
    landed[i].resize(bodies[i].size());
  }
  pair.b.on_loop([&] {
    for (std::size_t i = kCount; i-- > 0;) {
      pair.b.session().post_receive(pair.to_a, {i, 0}, landed[i], received[i].done());
    }
  });
  pair.a.on_loop([&] {
    for (std::size_t i = 0; i < kCount; ++i) {
      pair.a.session().send_body(pair.to_b, {i, 0}, bodies[i], sent[i].done());
    }
  });
  const auto all_ran = [](const std::vector<Outcome>& list) {
    return std::ranges::all_of(list, [](const Outcome& o) { return o.runs > 0; });
  };
  REQUIRE(eventually(*world, pair.b, [&] { return all_ran(received); }, 30s));
  REQUIRE(eventually(*world, pair.a, [&] { return all_ran(sent); }));
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(received[i].good());
    CHECK(sent[i].good());
    CHECK(landed[i] == bodies[i]);
  }
}

TEMPLATE_TEST_CASE("a tag in use is refused as a conflict", "[contract]", CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  const auto body = pattern(10);
  std::vector<std::byte> into(10), other(10);
  Outcome first, second, grant, again;
  pair.send_body({4, 4}, body, first);
  pair.send_body({4, 4}, body, second);
  REQUIRE(pair.ran(pair.a, second));
  REQUIRE(second.failed);
  CHECK(second.failed->code == Errc::conflict);
  pair.b.on_loop([&] {
    pair.b.session().post_receive(pair.to_a, {4, 4}, into, grant.done());
    pair.b.session().post_receive(pair.to_a, {4, 4}, other, again.done());
  });
  REQUIRE(pair.ran(pair.b, again));
  CHECK(again.failed->code == Errc::conflict);
  REQUIRE(pair.ran(pair.a, first));
  REQUIRE(pair.ran(pair.b, grant));
  CHECK(first.good());
  CHECK(grant.good());
}

TEMPLATE_TEST_CASE("a small message overtakes the bodies queued before it", "[contract]", CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  constexpr std::size_t kSize = 48U << 20;
  const auto body = pattern(kSize);
  std::vector<std::byte> into(kSize);
  Outcome sent, received;
  bool body_was_open = false;
  pair.b.events.on_message = [&](PeerId, const auto&) { body_was_open = received.runs == 0; };
  pair.grant({1, 1}, into, received);
  pair.a.on_loop([&] {
    pair.a.session().send_body(pair.to_b, {1, 1}, body, sent.done());
    pair.a.session().send(pair.to_b, text("urgent"), nullptr);
  });
  REQUIRE(eventually(*world, pair.b, [&] { return received.runs > 0; }, 30s));
  CHECK(ask(pair.b, [&] { return pair.b.events.messages.size(); }) == 1);
  CHECK(ask(pair.b, [&] { return body_was_open; }));
  REQUIRE(pair.ran(pair.a, sent));
  CHECK(received.good());
  CHECK(into == body);
}

TEMPLATE_TEST_CASE("a lost peer fails every open operation once and is reported once", "[contract]",
                   CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  const auto body = pattern(1000);
  std::vector<std::byte> into(1000);
  std::vector<Outcome> open(40);
  for (auto& o : open) {
    o.failed.reset();
  }
  pair.a.on_loop([&] {
    for (std::size_t i = 0; i < open.size(); ++i) {
      auto done = [&, i](const Status& s) {
        pair.a.events.order.emplace_back("done");
        open[i].done()(s);
      };
      if (i % 2 == 0) pair.a.session().send_body(pair.to_b, {i, 0}, body, done);
      else pair.a.session().post_receive(pair.to_b, {i, 0}, into, done);
    }
  });
  pair.b.kill();
  REQUIRE(eventually(*world, pair.a, [&] { return !pair.a.events.downs.empty(); }));
  world->wait([] { return false; }, 50ms);
  pair.a.on_loop([&] {
    for (const auto& o : open) {
      CHECK(o.runs == 1);
      REQUIRE(o.failed);
      CHECK(o.failed->code == Errc::unreachable);
    }
    CHECK(pair.a.events.downs.size() == 1);
    CHECK(pair.a.events.order.size() == 41);
    CHECK(pair.a.events.order.back() == "down");
    const auto& what = pair.a.events.downs[0].second.what;
    INFO(what);
    CHECK(what.find(pair.b.address) != std::string::npos);
    CHECK(what.find(pair.a.events.ups[0].local_address) != std::string::npos);
  });
  Outcome late;
  pair.a.on_loop([&] { pair.a.session().send(pair.to_b, text("x"), late.done()); });
  CHECK(ask(pair.a, [&] { return late.runs; }) <= 1);
  REQUIRE(pair.ran(pair.a, late));
  CHECK(late.failed->code == Errc::unreachable);
}

TEMPLATE_TEST_CASE("a frozen peer is named within the deadline", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions quick;
  quick.heartbeat = 60ms;
  Pair pair(*world, quick, quick);
  pair.b.freeze();
  REQUIRE(eventually(*world, pair.a, [&] { return !pair.a.events.downs.empty(); }, 3s));
  const auto why = ask(pair.a, [&] { return pair.a.events.downs.at(0).second; });
  CHECK(why.code == Errc::timed_out);
  CHECK(why.what.find("silent for") != std::string::npos);
  CHECK(why.what.find(pair.b.address) != std::string::npos);
  pair.b.thaw();
  REQUIRE(eventually(*world, pair.b, [&] { return !pair.b.events.downs.empty(); }));
}

TEMPLATE_TEST_CASE("idle peers stay connected", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions quick;
  quick.heartbeat = 150ms;
  Pair pair(*world, quick, quick);
  world->wait([] { return false; }, 1500ms);
  CHECK(ask(pair.a, [&] { return pair.a.events.downs.size(); }) == 0);
  CHECK(ask(pair.b, [&] { return pair.b.events.downs.size(); }) == 0);
}

TEMPLATE_TEST_CASE("nobody listening is unreachable and names both ends", "[contract]", CARRIERS) {
  auto world = TestType::make();
  auto& a = world->add();
  const auto nobody = TestType::nobody();
  const auto answer = dial(*world, a, nobody);
  REQUIRE(answer);
  REQUIRE_FALSE(answer->ok());
  CHECK(answer->error().code == Errc::unreachable);
  CHECK(answer->error().what.find(nobody) != std::string::npos);
  CHECK(answer->error().what.find(" -> ") != std::string::npos);
}

TEMPLATE_TEST_CASE("a wrong cluster key is refused on both sides", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions stranger;
  stranger.cluster_key = 8;
  auto& a = world->add(stranger);
  auto& b = world->add();
  for (int i = 0; i < 3; ++i) {
    const auto answer = dial(*world, a, b.address);
    REQUIRE(answer);
    REQUIRE_FALSE(answer->ok());
    INFO(answer->error().what);
    CHECK(answer->error().code == Errc::refused);
    CHECK(answer->error().what.find("admission key") != std::string::npos);
    CHECK(answer->error().what.find(b.address) != std::string::npos);
  }
  CHECK(ask(b, [&] { return b.events.ups.size(); }) == 0);
  CHECK(world->wait([&] { return b.log.count("session.refused") == 1; }, 5s));
}

TEMPLATE_TEST_CASE("another protocol version is refused naming both", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions newer;
  newer.version = 41;
  auto& a = world->add(newer);
  auto& b = world->add();
  for (auto* from : {&a, &b}) {
    auto& to = from == &a ? b : a;
    const auto answer = dial(*world, *from, to.address);
    REQUIRE(answer);
    REQUIRE_FALSE(answer->ok());
    CHECK(answer->error().code == Errc::refused);
    CHECK(answer->error().what.find(format("protocol {}", from == &a ? 41 : 1)) != std::string::npos);
    CHECK(answer->error().what.find(format("side {}", from == &a ? 1 : 41)) != std::string::npos);
    CHECK(world->wait([&] { return to.log.count("session.refused") == 1; }, 5s));
  }
}

TEMPLATE_TEST_CASE("a role that is not admitted is told so", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions picky;
  picky.admits = {Role::node};
  HostOptions client;
  client.role = Role::client;
  auto& a = world->add(client);
  auto& b = world->add(picky);
  const auto answer = dial(*world, a, b.address);
  REQUIRE(answer);
  REQUIRE_FALSE(answer->ok());
  CHECK(answer->error().code == Errc::refused);
  CHECK(answer->error().what.find("a client may not enter") != std::string::npos);
}

TEMPLATE_TEST_CASE("either side may close and both hear why", "[contract]", CARRIERS) {
  auto world = TestType::make();
  for (const bool caller_closes : {true, false}) {
    Pair pair(*world);
    auto& closer = caller_closes ? pair.a : pair.b;
    auto& other = caller_closes ? pair.b : pair.a;
    const auto peer = caller_closes ? pair.to_b : pair.to_a;
    closer.on_loop([&] {
      closer.session().send(peer, text("last words"), nullptr);
      closer.session().close(peer, "drained");
    });
    REQUIRE(eventually(*world, other, [&] { return !other.events.downs.empty(); }));
    REQUIRE(eventually(*world, closer, [&] { return !closer.events.downs.empty(); }));
    other.on_loop([&] {
      CHECK(other.events.messages.size() == 1);
      CHECK(other.events.downs.size() == 1);
      CHECK(other.events.downs[0].second.code == Errc::unreachable);
      CHECK(other.events.downs[0].second.what.find("drained") != std::string::npos);
    });
    CHECK(ask(closer, [&] { return closer.events.downs.at(0).second.code; }) == Errc::cancelled);
  }
}

TEMPLATE_TEST_CASE("closing towards a frozen peer is bounded", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions slow;
  slow.heartbeat = 2000ms;
  Pair pair(*world, slow, slow);
  pair.b.freeze();
  std::vector<std::byte> into(10);
  Outcome open;
  pair.a.on_loop([&] {
    pair.a.session().post_receive(pair.to_b, {1, 1}, into, open.done());
    pair.a.session().close(pair.to_b, "enough");
  });
  CHECK(eventually(*world, pair.a, [&] { return !pair.a.events.downs.empty(); }, 1500ms));
  CHECK(ask(pair.a, [&] { return open.runs; }) == 1);
  pair.b.thaw();
}

TEMPLATE_TEST_CASE("a full queue answers exhausted instead of growing", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions slow;
  slow.heartbeat = 5000ms;
  Pair pair(*world, slow, slow);
  pair.b.freeze();
  constexpr std::size_t kCount = 220;
  std::vector<Outcome> sent(kCount);
  pair.a.on_loop([&] {
    for (auto& o : sent) pair.a.session().send(pair.to_b, std::vector<std::byte>(kMaxMessage), o.done());
  });
  const auto refused = [&] {
    return std::ranges::count_if(sent, [](const Outcome& o) {
      return o.failed && o.failed->code == Errc::exhausted;
    });
  };
  REQUIRE(eventually(*world, pair.a, [&] { return refused() > 0; }));
  pair.b.thaw();
  REQUIRE(eventually(*world, pair.a, [&] {
    return std::ranges::all_of(sent, [](const Outcome& o) { return o.runs == 1; });
  }, 30s));
  const auto lost = ask(pair.a, [&] { return static_cast<std::size_t>(refused()); });
  CHECK(eventually(*world, pair.b, [&] { return pair.b.events.messages.size() == kCount - lost; }, 30s));
}

TEMPLATE_TEST_CASE("a second connection to the same process is another peer", "[contract]", CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  const auto second = dial(*world, pair.a, pair.b.address);
  REQUIRE(second);
  REQUIRE(second->ok());
  CHECK(second->value() != pair.to_b);
  pair.a.on_loop([&] { pair.a.session().close(pair.to_b, "one is enough"); });
  REQUIRE(eventually(*world, pair.a, [&] { return pair.a.events.downs.size() == 1; }));
  Outcome sent;
  pair.a.on_loop([&] { pair.a.session().send(second->value(), text("hello"), sent.done()); });
  REQUIRE(eventually(*world, pair.b, [&] { return pair.b.events.messages.size() == 1; }));
  CHECK(ask(pair.a, [&] { return sent.good(); }));
}

TEMPLATE_TEST_CASE("a message above the limit is refused before it is queued", "[contract]", CARRIERS) {
  auto world = TestType::make();
  Pair pair(*world);
  Outcome sent;
  pair.a.on_loop([&] {
    pair.a.session().send(pair.to_b, std::vector<std::byte>(kMaxMessage + 1), sent.done());
    CHECK(sent.runs == 0);
  });
  REQUIRE(pair.ran(pair.a, sent));
  CHECK(sent.failed->code == Errc::invalid_argument);
}

TEMPLATE_TEST_CASE("twenty peers are served at once", "[contract]", CARRIERS) {
  auto world = TestType::make();
  HostOptions calm;
  calm.heartbeat = 500ms;
  auto& hub = world->add(calm);
  std::vector<Host*> others;
  std::vector<PeerId> peers;
  for (int i = 0; i < TestType::kManyPeers; ++i) {
    others.push_back(&world->add(calm));
    const auto answer = dial(*world, *others.back(), hub.address);
    REQUIRE(answer);
    if (!answer->ok()) FAIL(answer->error().what);
    peers.push_back(answer->value());
  }
  hub.on_loop([&] {
    hub.events.on_message = [&](PeerId peer, const auto& bytes) {
      hub.session().send(peer, bytes, nullptr);
    };
  });
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      others[i]->on_loop([&] {
        others[i]->session().send(peers[i], text(format("{} {}", i, round)), nullptr);
      });
    }
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    REQUIRE(eventually(*world, *others[i], [&] { return others[i]->events.messages.size() == 20; }));
    CHECK(ask(*others[i], [&] { return others[i]->events.messages.back(); }) == text(format("{} 19", i)));
  }
}
