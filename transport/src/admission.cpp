#include "frenzy/transport/admission.hpp"

#include <algorithm>

#include "frenzy/base/byte_io.hpp"

namespace frenzy::transport {

KeyId key_id_of(const Crypto& crypto, const Key& admission) {
  const auto whole = crypto.mac(admission, bytes_of("frenzy admission key id"));
  KeyId out{};
  std::copy_n(whole.begin(), out.size(), out.begin());
  return out;
}

ClusterAdmission::ClusterAdmission(const Crypto& crypto, const Key& cluster_key,
                                   std::vector<Role> roles, std::optional<Key> coordinator)
    : key_(cluster_key), id_(key_id_of(crypto, cluster_key)), roles_(std::move(roles)), coordinator_(coordinator) {}

std::optional<Key> ClusterAdmission::key(const KeyId& id) const {
  return id == id_ ? std::optional(key_) : std::nullopt;
}

Status ClusterAdmission::admit(const Candidate& candidate) {
  if (candidate.role == Role::coordinator && coordinator_ && candidate.public_key != *coordinator_) {
    return error(Errc::refused, "the coordinator at {} has another identity than the one that the key file names: "
                 "it was set up anew (copy its key file again), or it is not the one meant", candidate.remote_address);
  }
  if (roles_.empty() || std::ranges::find(roles_, candidate.role) != roles_.end()) return {};
  return error(Errc::refused, "a {} may not enter here", name_of(candidate.role));
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::coordinator: return "coordinator";
    case Role::node: return "node";
    case Role::runner: return "runner";
    case Role::client: return "client";
  }
  return "unknown role";
}

std::string_view name_of(BodySeal seal) {
  switch (seal) {
    case BodySeal::sealed: return "sealed";
    case BodySeal::authenticated: return "authenticated";
    case BodySeal::clear: return "clear";
  }
  return "unknown seal";
}

}  // namespace frenzy::transport
