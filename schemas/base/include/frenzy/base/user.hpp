#pragma once
// A user of a cluster, and what its role permits. Each role may do what the ones before it may.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frenzy {

/// read: see jobs and nodes. user: submit jobs, cancel and fetch one's own. admin: everything.
enum class UserRole : std::uint8_t { read = 1, user = 2, admin = 3 };

struct User {
  std::string name{};
  UserRole role = UserRole::read;
  friend bool operator==(const User&, const User&) = default;
};

[[nodiscard]] std::string_view name_of(UserRole role);
[[nodiscard]] std::optional<UserRole> parse_user_role(std::string_view name);

}  // namespace frenzy
