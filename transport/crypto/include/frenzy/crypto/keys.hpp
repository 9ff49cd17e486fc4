#pragma once
// Keys in files. A key file (mode 0600) holds what one process or user needs to shake hands: the
// admission key (the cluster key, or a user's own) and the secret of its X25519 identity.
//   frenzy-keys 1
//   admission <64 hex digits>
//   identity <64 hex digits>
//   coordinator <64 hex digits>   optional: public identity of the only coordinator to talk to
//   role admin|user|read          optional: of a user; what the coordinator's own copy says counts

#include <optional>
#include <string>

#include "frenzy/base/files.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/user.hpp"
#include "frenzy/transport/crypto.hpp"

namespace frenzy::crypto {

struct Keys {
  transport::Key admission{};
  transport::KeyPair identity;
  std::optional<transport::Key> coordinator{};  ///< pinned: another one is refused
  std::optional<UserRole> role{};
};

/// Fresh random keys.
[[nodiscard]] Keys make_keys(transport::Crypto& crypto);
/// A fresh identity under an existing admission key: what a joining node needs.
[[nodiscard]] Keys make_keys(transport::Crypto& crypto, const transport::Key& admission);

[[nodiscard]] std::string keys_text(const Keys& keys);
/// Errors: corrupt, without quoting the text (it may be a secret with a slip in it).
[[nodiscard]] Result<Keys> parse_keys(std::string_view text);

/// Errors: not_found, io, corrupt; all name the path.
[[nodiscard]] Result<Keys> load_keys(Files& files, const std::string& path);
/// Writes mode 0600, durable before it has its name.
[[nodiscard]] Status save_keys(Files& files, const std::string& path, const Keys& keys);

/// The public half of `secret`.
[[nodiscard]] transport::Key public_key_of(const transport::Key& secret);

}  // namespace frenzy::crypto
