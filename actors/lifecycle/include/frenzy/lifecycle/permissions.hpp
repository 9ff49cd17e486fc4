#pragma once
// Who may do what: pure, by role and owner.
//
//   read    see jobs, their progress, and nodes
//   user    submit jobs; cancel its own and fetch what they saved
//   admin   the same with everybody's jobs; remove nodes

#include <string>

#include "frenzy/base/result.hpp"
#include "frenzy/base/user.hpp"

namespace frenzy::lifecycle {

/// refused, naming the user, the role it has and the one that `what` needs ("submit jobs").
[[nodiscard]] Status may(const User& user, UserRole needed, const std::string& what);

/// For what only a job's owner and admins may do: `what` is "cancel" or the like.
[[nodiscard]] Status may_with_job(const User& user, const std::string& owner, const std::string& job,
                                  const std::string& what);

}  // namespace frenzy::lifecycle
