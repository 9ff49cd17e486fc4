#include "evp_aead.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>

#include "frenzy/base/check.hpp"
#include "nonce.hpp"
#include "raw.hpp"

namespace frenzy::crypto {

using namespace transport;

namespace {

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

const EVP_CIPHER* cipher_of(AeadKind kind) {
  return kind == AeadKind::aes256gcm ? EVP_aes_256_gcm() : EVP_chacha20_poly1305();
}

class EvpAead final : public Aead {
 public:
  EvpAead(AeadKind kind, const Key& key) : kind_(kind), key_(key) {}
  ~EvpAead() override { OPENSSL_cleanse(key_.data(), key_.size()); }
  EvpAead(const EvpAead&) = delete;
  EvpAead& operator=(const EvpAead&) = delete;
  EvpAead(EvpAead&&) = delete;
  EvpAead& operator=(EvpAead&&) = delete;

  SealTag seal(std::uint64_t counter, std::span<const std::byte> associated,
               std::span<const std::byte> plain, std::span<std::byte> out) override {
    FRENZY_CHECK(out.size() == plain.size());
    SealTag tag{};
    start(Direction::seal, counter);
    update(nullptr, associated);
    update(raw(out), plain);
    FRENZY_CHECK(finish());
    FRENZY_CHECK(
        EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, tag.size(), tag.data()) == 1);
    return tag;
  }
  bool open(std::uint64_t counter, std::span<const std::byte> associated,
            std::span<std::byte> in_out, const SealTag& tag) override {
    auto expected = tag;
    start(Direction::open, counter);
    FRENZY_CHECK(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, expected.size(),
                                     expected.data()) == 1);
    update(nullptr, associated);
    update(raw(in_out), in_out);
    return finish();
  }

 private:
  enum class Direction { open = 0, seal = 1 };

  void start(Direction direction, std::uint64_t counter) {
    if (context_ == nullptr) prepare();
    FRENZY_CHECK(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr,
                                   nonce_of(counter).data(), static_cast<int>(direction)) == 1);
  }
  // The system's openssl.cnf must not change what is on the wire.
  void prepare() {
    FRENZY_CHECK(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1);
    context_.reset(EVP_CIPHER_CTX_new());
    FRENZY_CHECK(context_ != nullptr);
    FRENZY_CHECK(
        EVP_CipherInit_ex(context_.get(), cipher_of(kind_), nullptr, key_.data(), nullptr, 1) == 1);
  }
  // No `out`: associated data.
  void update(unsigned char* out, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    int written = 0;
    FRENZY_CHECK(EVP_CipherUpdate(context_.get(), out, &written, raw(bytes),
                                  static_cast<int>(bytes.size())) == 1);
  }
  bool finish() {
    std::array<unsigned char, EVP_MAX_BLOCK_LENGTH> none{};
    int written = 0;
    return EVP_CipherFinal_ex(context_.get(), none.data(), &written) == 1;
  }

  AeadKind kind_;
  Key key_;
  std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context_;
};

}  // namespace

std::unique_ptr<Aead> make_evp_aead(AeadKind kind, const Key& key) {
  return std::make_unique<EvpAead>(kind, key);
}

}  // namespace frenzy::crypto
