#include <catch2/catch.hpp>

#include "frenzy/base/text.hpp"
#include "frenzy/training/training_runner.hpp"

namespace frenzy::training {

TEST_CASE("a runner takes a peer only under the identity of the peer's node", "[training]") {
  codec::RunnerPeer expected;
  expected.runner.bytes.fill(3);
  transport::PeerInfo peer;
  peer.peer = {1};
  peer.uuid = expected.runner;
  peer.public_key.fill(9);
  expected.identity = hex(peer.public_key);

  PeerBook book;
  REQUIRE(book.find(expected).ok());
  CHECK(*book.find(expected) == nullptr);
  book.peer_up(peer);
  REQUIRE(book.find(expected).ok());
  CHECK((*book.find(expected))->peer == peer.peer);

  peer.public_key.fill(8);
  peer.remote_address = "10.0.0.9:4711";
  book.peer_up(peer);
  const auto impostor = book.find(expected);
  REQUIRE_FALSE(impostor.ok());
  CHECK(impostor.error().code == Errc::refused);
  CHECK(impostor.error().what.find("10.0.0.9:4711") != std::string::npos);
}

}  // namespace frenzy::training
