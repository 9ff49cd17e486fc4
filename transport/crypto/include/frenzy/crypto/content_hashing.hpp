#pragma once
// BLAKE2b-256 (RFC 7693, unkeyed) for the names of content.

#include <memory>

#include "frenzy/base/digest.hpp"

namespace frenzy::crypto {

[[nodiscard]] std::unique_ptr<ContentHashing> make_content_hashing();

}  // namespace frenzy::crypto
