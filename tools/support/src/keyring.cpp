#include "frenzy/tools/keyring.hpp"

#include "frenzy/tools/paths.hpp"

namespace frenzy::tools {

using transport::Role;

namespace {
constexpr std::string_view kSuffix = ".key";
}  // namespace

Result<crypto::Keys> coordinator_keys(Files& files, transport::Crypto& crypto, const std::string& directory) {
  const auto path = coordinator_key_path(directory);
  if (files.exists(path)) return crypto::load_keys(files, path);
  const auto keys = crypto::make_keys(crypto);
  if (auto made = files.make_directory(users_directory(directory)); !made) return made.error();
  auto admin = crypto::make_keys(crypto);
  admin.role = UserRole::admin;
  admin.coordinator = keys.identity.public_key;
  if (auto saved = crypto::save_keys(files, user_key_path(directory, "admin"), admin); !saved) return saved.error();
  // A node makes its own identity; the one in this file is nobody's.
  auto joining = crypto::make_keys(crypto, keys.admission);
  joining.coordinator = keys.identity.public_key;
  if (auto saved = crypto::save_keys(files, cluster_key_path(directory), joining); !saved) return saved.error();
  if (auto saved = crypto::save_keys(files, path, keys); !saved) return saved.error();
  return keys;
}

Keyring::Keyring(Files& files, const transport::Crypto& crypto, const Clock& clock, std::string directory,
                 const transport::Key& cluster)
    : files_(files), crypto_(crypto), clock_(clock), directory_(std::move(directory)), cluster_(cluster),
      cluster_id_(transport::key_id_of(crypto, cluster)) {
  read_users();
}

void Keyring::read_users() const {
  read_ = clock_.now();
  users_.clear();
  const auto names = files_.list(users_directory(directory_));
  if (!names) return;
  for (const auto& name : *names) {
    if (!name.ends_with(kSuffix)) continue;
    const auto keys = crypto::load_keys(files_, format("{}/{}", users_directory(directory_), name));
    if (!keys) continue;  // a broken file admits nobody
    users_[transport::key_id_of(crypto_, keys->admission)] = {
        {name.substr(0, name.size() - kSuffix.size()), keys->role.value_or(UserRole::user)}, keys->admission};
  }
}

const Keyring::Entry* Keyring::find(const transport::KeyId& id) const {
  if (clock_.now() - read_ > std::chrono::seconds{1}) read_users();
  const auto found = users_.find(id);
  return found == users_.end() ? nullptr : &found->second;
}

std::optional<transport::Key> Keyring::key(const transport::KeyId& id) const {
  if (id == cluster_id_) return cluster_;
  const auto* entry = find(id);
  return entry == nullptr ? std::nullopt : std::optional(entry->key);
}

Result<User> Keyring::user(const transport::KeyId& id) const {
  if (const auto* entry = find(id)) return entry->who;
  return error(Errc::refused, "the key was revoked");
}

Status Keyring::admit(const transport::Candidate& candidate) {
  const bool by_cluster = candidate.key_id == cluster_id_;
  if (by_cluster && candidate.role == Role::node) return {};
  if (!by_cluster && candidate.role == Role::client) return {};
  return error(Errc::refused, "a {} needs another key than the one it has shown", transport::name_of(candidate.role));
}

}  // namespace frenzy::tools
