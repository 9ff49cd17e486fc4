#include "frenzy/transport/simulated_crypto.hpp"

#include <algorithm>
#include <cstring>

#include "frenzy/base/check.hpp"
#include "frenzy/base/rng.hpp"

namespace frenzy::transport {

namespace {

// Four lanes of 64 bits over the data; quick, and any changed byte shows.
Key toy_hash(const Key& key, std::uint64_t salt, std::span<const std::byte> data) {
  std::array<std::uint64_t, 4> lane{};
  std::memcpy(lane.data(), key.data(), key.size());
  std::uint64_t state = mix64(salt ^ data.size());
  while (!data.empty()) {
    std::uint64_t word = 0;
    const auto length = std::min<std::size_t>(8, data.size());
    std::memcpy(&word, data.data(), length);
    data = data.subspan(length);
    state = mix64(state ^ word ^ lane[0]) + lane[1];
  }
  for (std::size_t i = 0; i < lane.size(); ++i) lane[i] = mix64(lane[i] ^ state ^ (i + 1));
  lane[0] ^= mix64(lane[3] + state);
  Key out{};
  std::memcpy(out.data(), lane.data(), out.size());
  return out;
}

class ToyAead final : public Aead {
 public:
  explicit ToyAead(const Key& key) : key_(key) {}

  SealTag seal(std::uint64_t counter, std::span<const std::byte> associated,
               std::span<const std::byte> plain, std::span<std::byte> out) override {
    FRENZY_CHECK(out.size() == plain.size());
    const auto tag = tag_of(counter, associated, plain);
    if (out.data() != plain.data() && !plain.empty()) std::memcpy(out.data(), plain.data(), plain.size());
    mask(counter, out);
    return tag;
  }
  bool open(std::uint64_t counter, std::span<const std::byte> associated,
            std::span<std::byte> in_out, const SealTag& tag) override {
    mask(counter, in_out);
    return tag_of(counter, associated, in_out) == tag;
  }

 private:
  SealTag tag_of(std::uint64_t counter, std::span<const std::byte> associated,
                 std::span<const std::byte> plain) const {
    const auto both = toy_hash(toy_hash(key_, counter, associated), counter, plain);
    SealTag tag{};
    std::memcpy(tag.data(), both.data(), tag.size());
    return tag;
  }
  void mask(std::uint64_t counter, std::span<std::byte> bytes) const {
    std::uint64_t first = 0;
    std::memcpy(&first, key_.data(), sizeof(first));
    const auto pad = static_cast<std::byte>(mix64(first ^ counter) & 0xffU);
    for (auto& b : bytes) b ^= pad;
  }
  Key key_;
};

class SimulatedCrypto final : public Crypto {
 public:
  explicit SimulatedCrypto(std::uint64_t seed) : rng_(seed) {}

  std::uint8_t aead_kinds() const override { return static_cast<std::uint8_t>(AeadKind::toy); }
  std::unique_ptr<Aead> aead(AeadKind kind, const Key& key) const override {
    FRENZY_CHECK(kind == AeadKind::toy);
    return std::make_unique<ToyAead>(key);
  }
  KeyPair key_pair() override {
    KeyPair out;
    random(out.secret);
    out.public_key = public_of(out.secret);
    return out;
  }
  std::optional<Key> agree(const Key& secret, const Key& public_key) const override {
    const auto ours = public_of(secret);
    const auto& low = std::min(ours, public_key);
    const auto& high = std::max(ours, public_key);
    return toy_hash(low, 1, std::as_bytes(std::span(high)));
  }
  Key mac(const Key& key, std::span<const std::byte> data) const override {
    return toy_hash(key, 2, data);
  }
  bool equal(const Key& a, const Key& b) const override { return a == b; }
  void random(std::span<std::uint8_t> out) override {
    for (auto& b : out) b = static_cast<std::uint8_t>(rng_.next() & 0xffU);
  }

 private:
  static Key public_of(Key secret) {
    for (auto& b : secret) b ^= 0x5aU;
    return secret;
  }
  Rng rng_;
};

}  // namespace

std::unique_ptr<Crypto> make_simulated_crypto(std::uint64_t seed) {
  return std::make_unique<SimulatedCrypto>(seed);
}

}  // namespace frenzy::transport
