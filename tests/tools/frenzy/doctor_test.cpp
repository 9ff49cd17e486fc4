#include "frenzy/cli/doctor.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "frenzy/cli/connection.hpp"
#include "world.hpp"

namespace frenzy::testing {

using cli::Check;

TEST_CASE("a key must be there, be one, and be secret", "[cli]") {
  CHECK(cli::check_key("/k", {}, 0600) == Check{true, "key file /k"});
  CHECK(cli::check_key("/k", {}, 0640) == Check{false, "key file /k can be read by others", "chmod 600 /k"});
  const auto missing = cli::check_key("/k", error(Errc::not_found, "/k does not exist"), 0);
  CHECK_FALSE(missing.good);
  CHECK(missing.what == "/k does not exist");
  CHECK_FALSE(missing.fix.empty());
}

TEST_CASE("a coordinator that does not answer and one that refuses have different fixes", "[cli]") {
  CHECK(cli::check_coordinator("h:1", {}).good);
  const auto away = cli::check_coordinator("h:1", error(Errc::unreachable, "away"));
  const auto wrong_key = cli::check_coordinator("h:1", error(Errc::refused, "key"));
  CHECK_FALSE(away.good);
  CHECK_FALSE(wrong_key.good);
  CHECK(away.fix != wrong_key.fix);
}

TEST_CASE("versions are compared", "[cli]") {
  CHECK(cli::check_version({{3}, "0.1.0", {}}, "0.1.0") == Check{true, "version 0.1.0, incarnation 3"});
  CHECK_FALSE(cli::check_version({{3}, "0.2.0", {}}, "0.1.0").good);
}

TEST_CASE("each node that is not healthy is a problem of its own", "[cli]") {
  const std::vector nodes{node("n1", model::NodeState::healthy), node("n2", model::NodeState::lost)};
  const auto checks = cli::check_nodes(nodes);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0] == Check{true, "1 healthy nodes with 1 devices"});
  CHECK(checks[1].what == "node n2 is lost: 1 device measured");
  CHECK_FALSE(cli::check_nodes({})[0].good);
}

TEST_CASE("too little shared memory or disk is a problem with a fix", "[cli]") {
  for (const auto& check : cli::check_host({.shared_memory = 1_GiB, .disk = 10_GiB})) CHECK(check.good);
  for (const auto& check : cli::check_host({.shared_memory = 1_MiB, .disk = 1_MiB})) {
    CHECK_FALSE(check.good);
    CHECK_FALSE(check.fix.empty());
  }
  CHECK_FALSE(cli::check_host({})[0].good);
}

TEST_CASE("checks as text and as JSON", "[cli]") {
  const std::vector<Check> checks{{true, "key file /k"}, {false, "no healthy node", "start one"}};
  CHECK(cli::checks_text(checks) == "ok       key file /k\nproblem  no healthy node\n         fix: start one\n");
  CHECK(cli::checks_json(checks) == "[{\"ok\":true,\"what\":\"key file /k\"},{\"ok\":false,\"what\":\"no healthy node\",\"fix\":\"start one\"}]\n");
}

TEST_CASE("doctor says what is wrong and ends with the code of the worst", "[cli]") {
  World w;
  w.cluster.down = error(Errc::unreachable, "127.0.0.1:4700 does not answer");
  CHECK(w.run(cli::command::Doctor{}) == 3);
  CHECK(w.console.output.find("problem  127.0.0.1:4700 does not answer\n         fix: ") != std::string::npos);
  World up;
  CHECK(up.run(cli::command::Doctor{}) == 1);  // its key file is missing
  CHECK(up.console.output.find("ok       version 0.1.0, incarnation 3\n") != std::string::npos);
}

TEST_CASE("arguments win over the environment, and that over the state directory", "[cli]") {
  const auto environment = [](const char* name) { return std::string(name) == "FRENZY_COORDINATOR" ? "env:1" : ""; };
  const auto nothing = [](const char*) { return std::string(); };
  CHECK(cli::locate({.coordinator = "arg:1", .state = "/s"}, environment).coordinator == "arg:1");
  CHECK(cli::locate({.state = "/s"}, environment).coordinator == "env:1");
  const auto where = cli::locate({.state = "/s"}, nothing);
  CHECK(where == cli::Locations{.coordinator = "", .state = "/s", .key_file = "/s/users/admin.key"});
  MemoryFiles files;
  CHECK(cli::coordinator_address(where, files).error().code == Errc::unreachable);
  REQUIRE(files.make_directory("/s"));
  REQUIRE(files.write_text("/s/address", "127.0.0.1:9\n", FileMode::shared));
  CHECK(cli::coordinator_address(where, files).value() == "127.0.0.1:9");
  const auto key = cli::locate({.state = "/s"}, [](const char* name) { return std::string(name) == "FRENZY_KEY_FILE" ? "/k" : ""; });
  CHECK(key.key_file == "/k");
}

}  // namespace frenzy::testing
