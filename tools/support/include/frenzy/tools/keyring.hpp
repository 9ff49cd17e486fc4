#pragma once
// Keyring: who may enter a coordinator. The cluster key admits nodes, each user's key admits clients; a
// client cannot join as a node. Users' keys are files in the state directory: adding or removing one
// takes effect within a second. A file says its user's role; one that says none is a user.

#include <map>
#include <string>

#include "frenzy/base/user.hpp"
#include "frenzy/base/clock.hpp"
#include "frenzy/base/files.hpp"
#include "frenzy/crypto/keys.hpp"
#include "frenzy/transport/admission.hpp"

namespace frenzy::tools {

/// The keys of a coordinator, made (0600) at its first start, with the cluster's key for nodes and one
/// for user "admin" beside them. Both name the coordinator's identity, so that whoever holds them talks
/// to no other.
[[nodiscard]] Result<crypto::Keys> coordinator_keys(Files& files, transport::Crypto& crypto, const std::string& directory);

/// Thread: the session's loop. All passed in outlive it.
class Keyring final : public transport::Admission {
 public:
  Keyring(Files& files, const transport::Crypto& crypto, const Clock& clock, std::string directory,
          const transport::Key& cluster);
  [[nodiscard]] std::optional<transport::Key> key(const transport::KeyId& id) const override;
  [[nodiscard]] Status admit(const transport::Candidate& candidate) override;
  /// Whose key that is, as of now. refused if it was revoked.
  [[nodiscard]] Result<User> user(const transport::KeyId& id) const;

 private:
  struct Entry {
    User who;
    transport::Key key{};
  };
  const Entry* find(const transport::KeyId& id) const;
  void read_users() const;

  Files& files_;
  const transport::Crypto& crypto_;
  const Clock& clock_;
  std::string directory_;
  transport::Key cluster_;
  transport::KeyId cluster_id_;
  mutable std::map<transport::KeyId, Entry> users_;  ///< as read at read_
  mutable TimePoint read_{};
};

}  // namespace frenzy::tools
