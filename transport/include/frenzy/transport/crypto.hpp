#pragma once
// What the session needs of cryptography, as interfaces. frenzy::crypto implements them with
// libsodium and libcrypto; transport_simulated has a toy for simulated clusters that need speed, not secrets.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace frenzy::transport {

using Key = std::array<std::uint8_t, 32>;
using SealTag = std::array<std::byte, 16>;

struct KeyPair {
  Key secret{}, public_key{};
};

/// Values are bits, so that a set of kinds is one byte of the handshake.
enum class AeadKind : std::uint8_t { aes256gcm = 1, chacha20poly1305 = 2, toy = 4 };

/// Authenticated encryption with one key. The nonce is the counter, which must never repeat for a
/// key: one direction of one connection has one Aead per purpose. Thread: one at a time.
class Aead {
 public:
  virtual ~Aead() = default;
  /// `out` is as long as `plain` and may be the same memory.
  [[nodiscard]] virtual SealTag seal(std::uint64_t counter, std::span<const std::byte> associated,
                                     std::span<const std::byte> plain, std::span<std::byte> out) = 0;
  /// Decrypts in place; false (contents then undefined) if anything was changed.
  [[nodiscard]] virtual bool open(std::uint64_t counter, std::span<const std::byte> associated,
                                  std::span<std::byte> in_out, const SealTag& tag) = 0;
};

/// Thread: the session's loop.
class Crypto {
 public:
  virtual ~Crypto() = default;
  /// Set of AeadKind bits this process can use.
  [[nodiscard]] virtual std::uint8_t aead_kinds() const = 0;
  /// `kind` must be one of aead_kinds().
  [[nodiscard]] virtual std::unique_ptr<Aead> aead(AeadKind kind, const Key& key) const = 0;
  /// A fresh X25519 pair.
  [[nodiscard]] virtual KeyPair key_pair() = 0;
  /// Diffie-Hellman; nothing for public keys of low order.
  [[nodiscard]] virtual std::optional<Key> agree(const Key& secret, const Key& public_key) const = 0;
  /// Keyed BLAKE2b-256.
  [[nodiscard]] virtual Key mac(const Key& key, std::span<const std::byte> data) const = 0;
  /// In constant time.
  [[nodiscard]] virtual bool equal(const Key& a, const Key& b) const = 0;
  virtual void random(std::span<std::uint8_t> out) = 0;
};

}  // namespace frenzy::transport
