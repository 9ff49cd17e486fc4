#pragma once
// libsodium's declarations forbid null pointers, also where the length is zero.

#include <cstddef>
#include <span>

namespace frenzy::crypto {

inline unsigned char kNothing = 0;
inline const unsigned char* raw(std::span<const std::byte> bytes) {
  return bytes.empty() ? &kNothing : reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* raw(std::span<std::byte> bytes) {
  return bytes.empty() ? &kNothing : reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace frenzy::crypto
