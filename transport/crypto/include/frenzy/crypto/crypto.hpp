#pragma once
// The session's cryptography with libsodium and libcrypto: X25519, keyed BLAKE2b-256, and AES-256-GCM where the
// CPU has it, else ChaCha20-Poly1305 (IETF). Which AEAD a connection uses is settled in its
// handshake from what both sides have.

#include <memory>

#include "frenzy/base/result.hpp"
#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

/// Errors: internal if libsodium cannot start (no entropy).
[[nodiscard]] Result<std::unique_ptr<transport::Crypto>> make_crypto();

}  // namespace frenzy::crypto
