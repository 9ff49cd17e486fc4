#include "sodium_aead.hpp"

#include <sodium.h>

#include "frenzy/base/check.hpp"
#include "nonce.hpp"
#include "raw.hpp"

namespace frenzy::crypto {

using namespace transport;

namespace {

static_assert(crypto_aead_aes256gcm_NPUBBYTES == std::tuple_size_v<Nonce> &&
              crypto_aead_chacha20poly1305_ietf_NPUBBYTES == std::tuple_size_v<Nonce>);

class Aes256Gcm final : public Aead {
 public:
  explicit Aes256Gcm(const Key& key) { crypto_aead_aes256gcm_beforenm(&state_, key.data()); }
  ~Aes256Gcm() override { sodium_memzero(&state_, sizeof(state_)); }
  Aes256Gcm(const Aes256Gcm&) = delete;
  Aes256Gcm& operator=(const Aes256Gcm&) = delete;
  Aes256Gcm(Aes256Gcm&&) = delete;
  Aes256Gcm& operator=(Aes256Gcm&&) = delete;

  SealTag seal(std::uint64_t counter, std::span<const std::byte> associated,
               std::span<const std::byte> plain, std::span<std::byte> out) override {
    FRENZY_CHECK(out.size() == plain.size());
    SealTag tag{};
    crypto_aead_aes256gcm_encrypt_detached_afternm(
        raw(out), reinterpret_cast<unsigned char*>(tag.data()), nullptr, raw(plain), plain.size(), raw(associated),
        associated.size(), nullptr, nonce_of(counter).data(), &state_);
    return tag;
  }
  bool open(std::uint64_t counter, std::span<const std::byte> associated,
            std::span<std::byte> in_out, const SealTag& tag) override {
    return crypto_aead_aes256gcm_decrypt_detached_afternm(
               raw(in_out), nullptr, raw(in_out), in_out.size(),
               reinterpret_cast<const unsigned char*>(tag.data()), raw(associated),
               associated.size(), nonce_of(counter).data(), &state_) == 0;
  }

 private:
  crypto_aead_aes256gcm_state state_;
};

class ChaCha20Poly1305 final : public Aead {
 public:
  explicit ChaCha20Poly1305(const Key& key) : key_(key) {}
  ~ChaCha20Poly1305() override { sodium_memzero(key_.data(), key_.size()); }
  ChaCha20Poly1305(const ChaCha20Poly1305&) = delete;
  ChaCha20Poly1305& operator=(const ChaCha20Poly1305&) = delete;
  ChaCha20Poly1305(ChaCha20Poly1305&&) = delete;
  ChaCha20Poly1305& operator=(ChaCha20Poly1305&&) = delete;

  SealTag seal(std::uint64_t counter, std::span<const std::byte> associated,
               std::span<const std::byte> plain, std::span<std::byte> out) override {
    FRENZY_CHECK(out.size() == plain.size());
    SealTag tag{};
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(
        raw(out), reinterpret_cast<unsigned char*>(tag.data()), nullptr, raw(plain), plain.size(), raw(associated),
        associated.size(), nullptr, nonce_of(counter).data(), key_.data());
    return tag;
  }
  bool open(std::uint64_t counter, std::span<const std::byte> associated,
            std::span<std::byte> in_out, const SealTag& tag) override {
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
               raw(in_out), nullptr, raw(in_out), in_out.size(),
               reinterpret_cast<const unsigned char*>(tag.data()), raw(associated),
               associated.size(), nonce_of(counter).data(), key_.data()) == 0;
  }

 private:
  Key key_;
};

}  // namespace

bool has_aes256gcm() { return crypto_aead_aes256gcm_is_available() == 1; }

std::unique_ptr<Aead> make_sodium_aead(AeadKind kind, const Key& key) {
  if (kind == AeadKind::aes256gcm) {
    FRENZY_CHECK(has_aes256gcm());
    return std::make_unique<Aes256Gcm>(key);
  }
  FRENZY_CHECK(kind == AeadKind::chacha20poly1305);
  return std::make_unique<ChaCha20Poly1305>(key);
}

}  // namespace frenzy::crypto
