#pragma once
#include <memory>

#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

[[nodiscard]] bool has_aes256gcm();
[[nodiscard]] std::unique_ptr<transport::Aead> make_aead(transport::AeadKind kind,
                                                         const transport::Key& key);

// libsodium's declarations forbid null pointers, also where the length is zero.
inline unsigned char kNothing = 0;
inline const unsigned char* raw(std::span<const std::byte> bytes) {
  return bytes.empty() ? &kNothing : reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* raw(std::span<std::byte> bytes) {
  return bytes.empty() ? &kNothing : reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace frenzy::crypto
