#pragma once
// The AEADs by libsodium.

#include <memory>

#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

[[nodiscard]] bool has_aes256gcm();
[[nodiscard]] std::unique_ptr<transport::Aead> make_sodium_aead(transport::AeadKind kind,
                                                                const transport::Key& key);

}  // namespace frenzy::crypto
