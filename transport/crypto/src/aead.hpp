#pragma once
// Each AEAD as the session uses it: short texts go through libsodium, long ones through libcrypto.
// Both write the same bytes.

#include <memory>

#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

/// `kind` must be usable here: AES-256-GCM needs has_aes256gcm().
[[nodiscard]] std::unique_ptr<transport::Aead> make_aead(transport::AeadKind kind,
                                                         const transport::Key& key);

}  // namespace frenzy::crypto
