#pragma once
// Arguments as a value. Pure: no file, no environment, no coordinator.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "frenzy/base/user.hpp"
#include "frenzy/cli/exit_code.hpp"

namespace frenzy::cli {

namespace command {

struct New {
  std::string preset = "gpt2-tiny";
  std::string file{};  ///< empty: standard output
  friend bool operator==(const New&, const New&) = default;
};
struct Submit {
  std::string file{};
  std::vector<std::string> overrides{};
  bool wait = false;
  friend bool operator==(const Submit&, const Submit&) = default;
};
struct List { friend bool operator==(const List&, const List&) = default; };
struct Show { std::string job{}; friend bool operator==(const Show&, const Show&) = default; };
struct Logs {
  std::string job{};
  bool plot = false;  ///< the loss curve, drawn with characters, instead of lines
  friend bool operator==(const Logs&, const Logs&) = default;
};
struct Watch { std::string job{}; friend bool operator==(const Watch&, const Watch&) = default; };
struct Wait { std::string job{}; friend bool operator==(const Wait&, const Wait&) = default; };
struct Cancel { std::string job{}; friend bool operator==(const Cancel&, const Cancel&) = default; };
struct Nodes { friend bool operator==(const Nodes&, const Nodes&) = default; };
struct RemoveNode { std::string node{}; friend bool operator==(const RemoveNode&, const RemoveNode&) = default; };
struct Doctor { friend bool operator==(const Doctor&, const Doctor&) = default; };

enum class KeyAction : std::uint8_t { list, add, revoke, rotate };
struct Keys {
  KeyAction action = KeyAction::list;
  std::string user{};
  UserRole role = UserRole::user;  ///< of a user who is added
  friend bool operator==(const Keys&, const Keys&) = default;
};

/// `source` is a directory of checkpoints, or a job.
struct CheckpointList { std::string source{}; friend bool operator==(const CheckpointList&, const CheckpointList&) = default; };
struct CheckpointVerify { std::string source{}; friend bool operator==(const CheckpointVerify&, const CheckpointVerify&) = default; };
struct CheckpointExport {
  std::string source{};
  std::string out{};
  bool weights_only = false;  ///< without OUT/checkpoint: optimizer state and manifest
  friend bool operator==(const CheckpointExport&, const CheckpointExport&) = default;
};
struct CheckpointSample {
  std::string source{};
  std::string prompt{};
  std::uint32_t tokens = 200;
  double temperature = 0.8;
  std::uint64_t seed = 0;
  friend bool operator==(const CheckpointSample&, const CheckpointSample&) = default;
};

}  // namespace command

using Command = std::variant<command::New, command::Submit, command::List, command::Show, command::Logs, command::Watch,
                             command::Wait, command::Cancel, command::Nodes, command::RemoveNode, command::Doctor, command::Keys,
                             command::CheckpointList, command::CheckpointVerify, command::CheckpointExport,
                             command::CheckpointSample>;

enum class Format : std::uint8_t { text, json };

struct Invocation {
  Command command{};
  Format format = Format::text;
  std::string coordinator{};  ///< address; empty: from the environment, else the one started here
  std::string state{};        ///< state directory of a coordinator on this host; empty: the usual one
  friend bool operator==(const Invocation&, const Invocation&) = default;
};

/// Instead of a command: a text for the user and the exit code. `ok` for help and version.
struct Answered {
  ExitCode code = ExitCode::usage;
  std::string text{};
};

/// `arguments` without the program's name.
[[nodiscard]] std::variant<Invocation, Answered> parse_arguments(std::span<const std::string> arguments);

}  // namespace frenzy::cli
