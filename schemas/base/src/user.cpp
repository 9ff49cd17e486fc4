#include "frenzy/base/user.hpp"

namespace frenzy {

std::string_view name_of(UserRole role) {
  switch (role) {
    case UserRole::read: return "read";
    case UserRole::user: return "user";
    case UserRole::admin: return "admin";
  }
  return "unknown role";
}

std::optional<UserRole> parse_user_role(std::string_view name) {
  for (const auto role : {UserRole::read, UserRole::user, UserRole::admin}) {
    if (name == name_of(role)) return role;
  }
  return std::nullopt;
}

}  // namespace frenzy
