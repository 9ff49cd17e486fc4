#include "frenzy/lifecycle/permissions.hpp"

namespace frenzy::lifecycle {

Status may(const User& user, UserRole needed, const std::string& what) {
  if (user.role >= needed) return {};
  return error(Errc::refused, "user {} has role {}: to {} takes role {}", user.name, std::string_view(name_of(user.role)), what,
               std::string_view(name_of(needed)));
}

Status may_with_job(const User& user, const std::string& owner, const std::string& job, const std::string& what) {
  if (user.role == UserRole::admin) return {};
  if (auto status = may(user, UserRole::user, what + " a job"); !status) return status;
  if (user.name == owner) return {};
  return error(Errc::refused, "job {} belongs to {}: only its owner and admins may {} it, and {} is neither", job,
               owner.empty() ? std::string("nobody") : owner, what, user.name);
}

}  // namespace frenzy::lifecycle
