// keys: users' keys in the state directory of the coordinator on this host.
#include <cstdio>

#include <algorithm>
#include <cctype>

#include "frenzy/crypto/crypto.hpp"
#include "frenzy/tools/paths.hpp"
#include "verbs.hpp"

namespace frenzy::tools {
namespace {

Status check_user(const std::string& user) {
  const bool plain = !user.empty() && user.size() <= 32 && std::ranges::all_of(user, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  if (plain) return {};
  return error(Errc::invalid_argument, "a user's name is 1 to 32 letters, digits, - and _");
}

}  // namespace

int list_keys(const Context& context) {
  RealFiles files;
  const auto names = files.list(users_directory(context.where.coordinator_state));
  if (!names) return complain(names.error());
  for (const auto& name : *names) std::printf("%s\n", name.substr(0, name.rfind('.')).c_str());
  return 0;
}

int add_key(const Context& context, const std::string& user) {
  if (auto checked = check_user(user); !checked) return complain(checked.error());
  RealFiles files;
  auto crypto = crypto::make_crypto();
  if (!crypto) return complain(crypto.error());
  const auto path = user_key_path(context.where.coordinator_state, user);
  if (files.exists(path)) return complain(error(Errc::conflict, "user {} has a key already: {}", user, path));
  if (auto saved = crypto::save_keys(files, path, crypto::make_keys(**crypto)); !saved) return complain(saved.error());
  std::printf("%s\n", path.c_str());
  return 0;
}

int revoke_key(const Context& context, const std::string& user) {
  if (auto checked = check_user(user); !checked) return complain(checked.error());
  RealFiles files;
  const auto path = user_key_path(context.where.coordinator_state, user);
  if (!files.exists(path)) return complain(error(Errc::not_found, "user {} has no key", user));
  if (auto removed = files.remove(path); !removed) return complain(removed.error());
  std::printf("%s can make no new connection\n", user.c_str());
  return 0;
}

}  // namespace frenzy::tools
