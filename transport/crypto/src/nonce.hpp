#pragma once
// Both AEADs take 96-bit nonces: four zero bytes, then the counter, little-endian.

#include <array>
#include <cstdint>
#include <cstring>

namespace frenzy::crypto {

using Nonce = std::array<unsigned char, 12>;

inline Nonce nonce_of(std::uint64_t counter) {
  Nonce nonce{};
  std::memcpy(nonce.data() + 4, &counter, sizeof(counter));
  return nonce;
}

}  // namespace frenzy::crypto
