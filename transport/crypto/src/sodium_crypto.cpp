#include <sodium.h>

#include "aead.hpp"
#include "frenzy/crypto/crypto.hpp"
#include "raw.hpp"
#include "sodium_aead.hpp"

namespace frenzy::crypto {

using namespace transport;

namespace {

class SodiumCrypto final : public Crypto {
 public:
  std::uint8_t aead_kinds() const override {
    const auto chacha = static_cast<unsigned>(AeadKind::chacha20poly1305);
    const auto aes = has_aes256gcm() ? static_cast<unsigned>(AeadKind::aes256gcm) : 0U;
    return static_cast<std::uint8_t>(chacha | aes);
  }
  std::unique_ptr<Aead> aead(AeadKind kind, const Key& key) const override {
    return make_aead(kind, key);
  }
  KeyPair key_pair() override {
    KeyPair out;
    randombytes_buf(out.secret.data(), out.secret.size());
    crypto_scalarmult_base(out.public_key.data(), out.secret.data());
    return out;
  }
  std::optional<Key> agree(const Key& secret, const Key& public_key) const override {
    Key out{};
    if (crypto_scalarmult(out.data(), secret.data(), public_key.data()) != 0) return std::nullopt;
    return out;
  }
  Key mac(const Key& key, std::span<const std::byte> data) const override {
    Key out{};
    crypto_generichash(out.data(), out.size(), raw(data), data.size(), key.data(), key.size());
    return out;
  }
  bool equal(const Key& a, const Key& b) const override {
    return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
  }
  void random(std::span<std::uint8_t> out) override { randombytes_buf(out.data(), out.size()); }
};

}  // namespace

Result<std::unique_ptr<Crypto>> make_crypto() {
  if (sodium_init() < 0) return error(Errc::internal, "libsodium cannot start: no source of entropy");
  return std::unique_ptr<Crypto>(std::make_unique<SodiumCrypto>());
}

}  // namespace frenzy::crypto
