#include "frenzy/crypto/content_hashing.hpp"

#include <sodium.h>

#include "raw.hpp"

namespace frenzy::crypto {

namespace {

class Blake2bHasher final : public ContentHasher {
 public:
  Blake2bHasher() { crypto_generichash_init(&state_, nullptr, 0, sizeof(ContentDigest::bytes)); }
  void update(std::span<const std::byte> bytes) override {
    crypto_generichash_update(&state_, raw(bytes), bytes.size());
  }
  ContentDigest finish() override {
    ContentDigest out;
    crypto_generichash_final(&state_, out.bytes.data(), out.bytes.size());
    return out;
  }

 private:
  crypto_generichash_state state_;
};

class Blake2bHashing final : public ContentHashing {
 public:
  std::unique_ptr<ContentHasher> start() const override { return std::make_unique<Blake2bHasher>(); }
};

}  // namespace

std::unique_ptr<ContentHashing> make_content_hashing() { return std::make_unique<Blake2bHashing>(); }

}  // namespace frenzy::crypto
