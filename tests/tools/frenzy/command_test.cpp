#include "frenzy/cli/command.hpp"

#include <catch2/catch.hpp>

using namespace frenzy;
using namespace frenzy::cli;

namespace {

struct Case {
  std::vector<std::string> arguments;
  Invocation expected;
};

Invocation invocation(Command command, Format format = Format::text) { return {.command = std::move(command), .format = format}; }

Answered answer_to(std::vector<std::string> arguments) {
  const auto parsed = parse_arguments(arguments);
  REQUIRE(std::holds_alternative<Answered>(parsed));
  return std::get<Answered>(parsed);
}

}  // namespace

TEST_CASE("arguments become a command", "[cli]") {
  using namespace command;
  const std::vector<Case> cases{
      {{"new"}, invocation(New{})},
      {{"new", "--preset", "gpt2-small", "j.toml"}, invocation(New{"gpt2-small", "j.toml"})},
      {{"submit", "j.toml"}, invocation(Submit{"j.toml"})},
      {{"submit", "j.toml", "-o", "train.steps=5", "-o", "name=x", "--wait"}, invocation(Submit{"j.toml", {"train.steps=5", "name=x"}, true})},
      {{"submit", "-o", "train.steps=5", "j.toml", "--json"}, invocation(Submit{"j.toml", {"train.steps=5"}}, Format::json)},
      {{"ls"}, invocation(List{})},
      {{"ls", "--json"}, invocation(List{}, Format::json)},
      {{"show", "tale", "--json"}, invocation(Show{"tale"}, Format::json)},
      {{"logs", "tale"}, invocation(Logs{"tale"})},
      {{"watch", "tale"}, invocation(Watch{"tale"})},
      {{"wait", "tale"}, invocation(Wait{"tale"})},
      {{"cancel", "tale"}, invocation(Cancel{"tale"})},
      {{"nodes", "--json"}, invocation(Nodes{}, Format::json)},
      {{"doctor"}, invocation(Doctor{})},
      {{"keys", "list"}, invocation(Keys{})},
      {{"keys", "add", "ada"}, invocation(Keys{KeyAction::add, "ada"})},
      {{"keys", "revoke", "ada"}, invocation(Keys{KeyAction::revoke, "ada"})},
      {{"keys", "rotate", "ada"}, invocation(Keys{KeyAction::rotate, "ada"})},
      {{"checkpoint", "ls", "tale"}, invocation(CheckpointList{"tale"})},
      {{"checkpoint", "verify", "./saves"}, invocation(CheckpointVerify{"./saves"})},
      {{"checkpoint", "export", "tale", "out"}, invocation(CheckpointExport{"tale", "out"})},
      {{"checkpoint", "export", "tale", "out", "--weights-only"}, invocation(CheckpointExport{"tale", "out", true})},
      {{"checkpoint", "sample", "tale", "--prompt", "In the"}, invocation(CheckpointSample{"tale", "In the"})},
      {{"checkpoint", "sample", "tale", "--prompt", "a", "--tokens", "7", "--temperature", "0", "--seed", "9"},
       invocation(CheckpointSample{"tale", "a", 7, 0.0, 9})},
      {{"--coordinator", "h:1", "ls"}, {.command = List{}, .coordinator = "h:1"}},
      {{"ls", "--coordinator", "h:1", "--coordinator-state", "/s"}, {.command = List{}, .coordinator = "h:1", .state = "/s"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.arguments);
    const auto parsed = parse_arguments(c.arguments);
    REQUIRE(std::holds_alternative<Invocation>(parsed));
    CHECK(std::get<Invocation>(parsed) == c.expected);
  }
}

TEST_CASE("a wrong command line is a usage error in one line that names the slip", "[cli]") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "subcommand"},
      {{"frobnicate"}, "there is no 'frobnicate';"},
      {{"sumbit", "j.toml"}, "did you mean 'submit'?"},
      {{"show"}, "job"},
      {{"ls", "--nope"}, "--nope"},
      {{"wait", "a", "b"}, "b"},
      {{"cancel", "tale", "--json"}, "--json"},
      {{"checkpoint", "sample", "tale"}, "--prompt"},
      {{"checkpoint", "sample", "tale", "--prompt", "a", "--tokens", "many"}, "many"},
      {{"checkpoint", "sample", "tale", "--prompt", "a", "--temperature", "-1"}, "-1"},
      {{"keys", "add"}, "user"},
      {{"pause", "tale"}, "pause is not something this version does"},
      {{"simulate"}, "simulate is not something this version does"},
  };
  for (const auto& [arguments, part] : cases) {
    CAPTURE(arguments);
    const auto answered = answer_to(arguments);
    CHECK(answered.code == ExitCode::usage);
    CHECK(answered.text.find(part) != std::string::npos);
    CHECK(answered.text.find('\n') == std::string::npos);
  }
}

TEST_CASE("help and version are no errors", "[cli]") {
  CHECK(answer_to({"--help"}).code == ExitCode::ok);
  CHECK(answer_to({"--help"}).text.find("130 interrupted") != std::string::npos);
  CHECK(answer_to({"submit", "--help"}).text.find("--wait") != std::string::npos);
  CHECK(answer_to({"--version"}).code == ExitCode::ok);
}
