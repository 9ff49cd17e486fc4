#pragma once
// A ContentHashing without a library: four lanes of FNV-1a. Finds accidents, not attacks.

#include "frenzy/base/digest.hpp"
#include "frenzy/base/rng.hpp"

#include <array>
#include <memory>

namespace frenzy::test {

class TestHasher final : public ContentHasher {
 public:
  void update(std::span<const std::byte> bytes) override {
    for (const auto byte : bytes) {
      for (auto& lane : lanes_)
        lane = (lane ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ULL;
    }
  }
  [[nodiscard]] ContentDigest finish() override {
    ContentDigest out;
    for (std::size_t i = 0; i < out.bytes.size(); ++i) {
      out.bytes[i] = static_cast<std::uint8_t>(mix64(lanes_[i / 8]) >> (i % 8 * 8));
    }
    return out;
  }

 private:
  std::array<std::uint64_t, 4> lanes_{0xcbf29ce484222325ULL, 1, 2, 3};
};

class TestHashing final : public ContentHashing {
 public:
  [[nodiscard]] std::unique_ptr<ContentHasher> start() const override {
    return std::make_unique<TestHasher>();
  }
};

}  // namespace frenzy::test
