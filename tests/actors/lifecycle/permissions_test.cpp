#include "frenzy/lifecycle/permissions.hpp"

#include <catch2/catch.hpp>

namespace frenzy::lifecycle {

TEST_CASE("a role may do what it says and what the roles before it may", "[lifecycle]") {
  for (const auto has : {UserRole::read, UserRole::user, UserRole::admin}) {
    for (const auto needs : {UserRole::read, UserRole::user, UserRole::admin}) {
      const auto status = may({"ada", has}, needs, "submit jobs");
      CHECK(status.ok() == (has >= needs));
      if (!status) CHECK(status.error().code == Errc::refused);
    }
  }
}

TEST_CASE("a job's owner and admins may cancel it, nobody else", "[lifecycle]") {
  struct Row { User user; bool allowed; };
  const Row rows[] = {{{"ada", UserRole::user}, true},   {{"ada", UserRole::read}, false}, {{"bob", UserRole::user}, false},
                      {{"bob", UserRole::admin}, true},  {{"", UserRole::user}, false},    {{"", UserRole::read}, false}};
  for (const auto& row : rows) {
    const auto status = may_with_job(row.user, "ada", "tiny", "cancel");
    CHECK(status.ok() == row.allowed);
    if (!status) CHECK(status.error().what.find("cancel") != std::string::npos);
  }
}

TEST_CASE("roles have names, and no other name is a role", "[lifecycle]") {
  for (const auto role : {UserRole::read, UserRole::user, UserRole::admin}) CHECK(parse_user_role(name_of(role)) == role);
  CHECK_FALSE(parse_user_role("root").has_value());
  CHECK_FALSE(parse_user_role("").has_value());
}

}  // namespace frenzy::lifecycle
