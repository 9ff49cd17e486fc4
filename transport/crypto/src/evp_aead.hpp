#pragma once
// The AEADs for long texts, by OpenSSL's libcrypto.

#include <memory>

#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

/// `kind` is AES-256-GCM or ChaCha20-Poly1305. Nothing of libcrypto starts before the first text.
[[nodiscard]] std::unique_ptr<transport::Aead> make_evp_aead(transport::AeadKind kind,
                                                             const transport::Key& key);

}  // namespace frenzy::crypto
