#pragma once
// A stand-in for cryptography in simulated clusters: notices changed bytes and wrong keys, hides
// nothing, costs little, and draws its randomness from a seed. Sessions refuse to use it with a
// peer that has real cryptography: they share no cipher.

#include <memory>

#include "frenzy/transport/crypto.hpp"

namespace frenzy::transport {

[[nodiscard]] std::unique_ptr<Crypto> make_simulated_crypto(std::uint64_t seed);

}  // namespace frenzy::transport
