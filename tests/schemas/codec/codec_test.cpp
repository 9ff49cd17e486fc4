#include <catch2/catch.hpp>

#include <cstring>
#include <limits>

#include "random_message.hpp"

namespace frenzy::codec {
namespace {

std::vector<std::byte> encoded(const Message& message) {
  auto frame = encode(Envelope{.correlation = 7, .message = message});
  REQUIRE(frame);
  return *frame;
}

/// Flips, overwrites, cuts or extends a valid frame.
std::vector<std::byte> mutated(std::vector<std::byte> frame, Rng& rng) {
  const auto changes = 1 + rng.below(8);
  for (std::uint64_t i = 0; i < changes && !frame.empty(); ++i) {
    const auto at = rng.below(frame.size());
    switch (rng.below(5)) {
      case 0: frame[at] ^= static_cast<std::byte>(1U << rng.below(8)); break;
      case 1: frame[at] = static_cast<std::byte>(rng.next()); break;
      case 2: frame[at] = std::byte{0xff}; break;
      case 3: frame.resize(rng.below(2) == 0 ? at : at & ~std::uint64_t{7}); break;
      default: frame.insert(frame.end(), 8, static_cast<std::byte>(rng.next())); break;
    }
  }
  return frame;
}

}  // namespace

TEST_CASE("a message of every kind comes back as it was sent", "[codec]") {
  Rng rng(1);
  for (std::size_t kind = 0; kind < std::variant_size_v<Message>; ++kind) {
    for (int round = 0; round < 50; ++round) {
      const auto sent = random_envelope_of(kind, rng);
      const auto frame = encode(sent);
      INFO(name_of(sent.message) << (frame ? "" : ": " + frame.error().what));
      REQUIRE(frame);
      const auto got = decode(*frame);
      INFO((got ? std::string() : got.error().what));
      REQUIRE(got);
      REQUIRE(*got == sent);
    }
  }
}

TEST_CASE("a hundred thousand damaged frames are decoded or refused, never worse", "[codec]") {
  Rng rng(2);
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto frame = encode(random_envelope(rng));
    REQUIRE(frame);
    for (int j = 0; j < 50; ++j) {
      const auto got = decode(mutated(*frame, rng));
      if (!got) {
        ++refused;
        CHECK_FALSE(got.error().what.empty());
      } else {
        // What was let in stays within bounds: it can be sent on.
        CHECK(encode(*got));
      }
    }
  }
  CHECK(refused > 10'000);
}

TEST_CASE("random bytes are refused", "[codec]") {
  Rng rng(3);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> frame(8 * rng.below(64));
    for (auto& byte : frame) byte = static_cast<std::byte>(rng.next());
    CHECK_FALSE(decode(frame));
  }
}

TEST_CASE("every truncation of a frame is refused", "[codec]") {
  Rng rng(4);
  for (std::size_t kind = 0; kind < std::variant_size_v<Message>; ++kind) {
    const auto frame = *encode(random_envelope_of(kind, rng));
    for (std::size_t size = 0; size < frame.size(); size += 8) {
      CHECK_FALSE(decode(std::span(frame).first(size)));
    }
  }
}

TEST_CASE("another protocol version is refused naming both", "[codec]") {
  auto frame = encoded(Accepted{});
  // Word 0 is the segment table, word 1 the root pointer, word 2 begins with the version.
  const std::uint16_t other = 9;
  std::memcpy(frame.data() + 16, &other, sizeof(other));
  const auto got = decode(frame);
  REQUIRE_FALSE(got);
  CHECK(got.error().code == Errc::unsupported);
  CHECK(got.error().what == "the peer speaks protocol version 9, this side 1 to 1");
}

TEST_CASE("an enum value of another version is refused naming the value and the known ones", "[codec]") {
  const auto frame = encode({.message = JobAccepted{.state = static_cast<model::JobState>(12)}});
  REQUIRE_FALSE(frame);
  CHECK(frame.error().what == "JobAccepted.state is 12, which version 1 does not know (it knows 1 to 11)");

  auto good = encoded(JobAccepted{.state = static_cast<model::JobState>(11)});
  bool named = false;
  for (std::size_t at = 16; at + 1 < good.size(); at += 2) {
    auto copy = good;
    std::uint16_t value = 0;
    std::memcpy(&value, copy.data() + at, 2);
    if (value != 11) continue;
    value = 12;
    std::memcpy(copy.data() + at, &value, 2);
    const auto got = decode(copy);
    named = named || (!got && got.error().what.find("JobAccepted.state is 12") == 0);
  }
  CHECK(named);
}

TEST_CASE("values out of bounds are refused by name before they are sent", "[codec]") {
  const auto why = [](Message message) {
    const auto frame = encode({.message = std::move(message)});
    return frame ? std::string("accepted") : frame.error().what;
  };
  CHECK(why(ShowJob{.job = std::string(257, 'x')}) ==
        "ShowJob.job has 257 entries or bytes, at most 256");
  CHECK(why(PutChunk{.bytes = std::vector<std::byte>(kMaxChunk + 1)}) ==
        "PutChunk.bytes has 524289 entries or bytes, at most 524288");
  CHECK(why(PutChunk{.bytes = std::vector<std::byte>(kMaxChunk)}) == "accepted");
  CHECK(why(GetChunk{.size = 0}) == "GetChunk.sizeBytes is 0, not within 1 to 524288");
  CHECK(why(StateSaved{.pieces = {{.elements = {5, 4}}}}) == "Piece.elementsEnd lies before elementsBegin");
  CHECK(why(StepReport{.duration = Seconds{std::numeric_limits<double>::quiet_NaN()}}) ==
        "StepReport.stepSeconds is not finite");
}

TEST_CASE("a loss that is not a number still travels", "[codec]") {
  const auto frame = encoded(StepReport{.loss_sum = std::numeric_limits<double>::quiet_NaN()});
  const auto got = decode(frame);
  REQUIRE(got);
  CHECK(std::isnan(std::get<StepReport>(got->message).loss_sum));
}

}  // namespace frenzy::codec
