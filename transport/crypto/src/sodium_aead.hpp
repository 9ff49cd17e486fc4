#pragma once
#include <memory>

#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

[[nodiscard]] bool has_aes256gcm();
[[nodiscard]] std::unique_ptr<transport::Aead> make_aead(transport::AeadKind kind,
                                                         const transport::Key& key);

inline const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* raw(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace frenzy::crypto
