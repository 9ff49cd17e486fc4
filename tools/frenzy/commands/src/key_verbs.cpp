// keys: users' key files in the state directory of the coordinator on this host. The coordinator looks
// at them again within a second, so nothing is asked of it.
#include <algorithm>

#include "frenzy/cli/json_writer.hpp"
#include "frenzy/crypto/crypto.hpp"
#include "frenzy/crypto/keys.hpp"
#include "frenzy/tools/paths.hpp"
#include "verbs.hpp"

namespace frenzy::cli {
namespace {

using command::KeyAction;

constexpr std::string_view kSuffix = ".key";

Status check_user(const std::string& user) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  if (!user.empty() && user.size() <= 32 && std::ranges::all_of(user, plain)) return {};
  return error(Errc::invalid_argument, "a user's name is 1 to 32 letters, digits, - and _");
}

ExitCode list_keys(const Context& context) {
  const auto names = context.files->list(tools::users_directory(context.where.state));
  if (!names) return complain(context, names.error());
  JsonWriter json;
  json.begin_array();
  std::string text;
  for (const auto& name : *names) {
    if (!name.ends_with(kSuffix)) continue;
    const auto user = name.substr(0, name.size() - kSuffix.size());
    const auto path = tools::user_key_path(context.where.state, user);
    const auto keys = crypto::load_keys(*context.files, path);
    const auto role = keys ? std::string(name_of(keys->role.value_or(UserRole::user))) : std::string("unreadable");
    json.begin_object().field("user", user).field("role", role).field("file", path).end_object();
    text += format("{}  {}  {}\n", clean(user), role, clean(path));
  }
  context.console->out(context.format == Format::json ? json.end_array().text() + '\n' : text);
  return ExitCode::ok;
}

/// Writes a fresh key; the one before, if there is one, admits nobody any more.
ExitCode write_key(const Context& context, const std::string& path, UserRole role) {
  const auto crypto = crypto::make_crypto();
  if (!crypto) return complain(context, crypto.error());
  const auto coordinator = crypto::load_keys(*context.files, tools::coordinator_key_path(context.where.state));
  if (!coordinator) return complain(context, coordinator.error());
  auto keys = crypto::make_keys(**crypto);
  keys.role = role;
  keys.coordinator = coordinator->identity.public_key;
  const auto saved = crypto::save_keys(*context.files, path, keys);
  if (!saved) return complain(context, saved.error());
  context.console->out(path + '\n');
  return ExitCode::ok;
}

ExitCode revoke(const Context& context, const command::Keys& verb, const std::string& path) {
  if (auto removed = context.files->remove(path); !removed) return complain(context, removed.error());
  context.console->out(format("{} can make no new connection\n", verb.user));
  return ExitCode::ok;
}

}  // namespace

ExitCode do_verb(const Context& context, const command::Keys& verb) {
  if (verb.action == KeyAction::list) return list_keys(context);
  if (auto checked = check_user(verb.user); !checked) return complain(context, checked.error());
  if (!context.files->exists(tools::users_directory(context.where.state))) {
    return complain(context, error(Errc::not_found, "{} is not the state directory of a coordinator that has been started here", context.where.state));
  }
  const auto path = tools::user_key_path(context.where.state, verb.user);
  const bool known = context.files->exists(path);
  if (verb.action == KeyAction::add) {
    if (known) return complain(context, error(Errc::conflict, "user {} has a key already: {}", verb.user, path));
    return write_key(context, path, verb.role);
  }
  if (!known) return complain(context, error(Errc::not_found, "user {} has no key", verb.user));
  if (verb.action == KeyAction::revoke) return revoke(context, verb, path);
  const auto before = crypto::load_keys(*context.files, path);
  return write_key(context, path, before ? before->role.value_or(UserRole::user) : verb.role);
}

}  // namespace frenzy::cli
