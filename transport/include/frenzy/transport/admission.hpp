#pragma once
// Who may enter. The handshake proves that a peer holds an admission key and the secret half of its
// identity; an Admission then says whether that (role, uuid, public key) is welcome.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/transport/crypto.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::transport {

/// Public name of an admission key: sent in clear so that the other side knows which one to check.
using KeyId = std::array<std::uint8_t, 8>;
[[nodiscard]] KeyId key_id_of(const Crypto& crypto, const Key& admission);

struct Candidate {
  Role role = Role::client;
  Uuid uuid;
  Key public_key{};
  KeyId key_id{};
  bool outgoing = false;  ///< true: we called, this is who answered
  std::string remote_address;
};

/// Thread: the session's loop.
class Admission {
 public:
  virtual ~Admission() = default;
  /// The admission key with that name, if it is (still) accepted here.
  [[nodiscard]] virtual std::optional<Key> key(const KeyId& id) const = 0;
  /// Both directions. An error refuses; its text is sent to the candidate.
  [[nodiscard]] virtual Status admit(const Candidate& candidate) = 0;
};

/// One cluster key; every holder of it may enter in the listed roles (all if empty). With `coordinator`,
/// only the one with that public identity is taken for a coordinator.
class ClusterAdmission final : public Admission {
 public:
  ClusterAdmission(const Crypto& crypto, const Key& cluster_key, std::vector<Role> roles = {},
                   std::optional<Key> coordinator = {});
  [[nodiscard]] std::optional<Key> key(const KeyId& id) const override;
  [[nodiscard]] Status admit(const Candidate& candidate) override;

 private:
  Key key_;
  KeyId id_;
  std::vector<Role> roles_;
  std::optional<Key> coordinator_;
};

[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::string_view name_of(BodySeal seal);

}  // namespace frenzy::transport
