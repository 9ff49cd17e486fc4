#pragma once
// One function a command. Each says on the console what came of it.

#include "frenzy/cli/context.hpp"

namespace frenzy::cli {

ExitCode do_verb(const Context& context, const command::New& verb);
ExitCode do_verb(const Context& context, const command::Submit& verb);
ExitCode do_verb(const Context& context, const command::List& verb);
ExitCode do_verb(const Context& context, const command::Show& verb);
ExitCode do_verb(const Context& context, const command::Logs& verb);
ExitCode do_verb(const Context& context, const command::Watch& verb);
ExitCode do_verb(const Context& context, const command::Wait& verb);
ExitCode do_verb(const Context& context, const command::Cancel& verb);
ExitCode do_verb(const Context& context, const command::Nodes& verb);
ExitCode do_verb(const Context& context, const command::RemoveNode& verb);
ExitCode do_verb(const Context& context, const command::Doctor& verb);
ExitCode do_verb(const Context& context, const command::Keys& verb);
ExitCode do_verb(const Context& context, const command::CheckpointList& verb);
ExitCode do_verb(const Context& context, const command::CheckpointVerify& verb);
ExitCode do_verb(const Context& context, const command::CheckpointExport& verb);
ExitCode do_verb(const Context& context, const command::CheckpointSample& verb);

/// Connects and asks once.
template <class T>
[[nodiscard]] Result<T> ask_once(const Context& context, codec::Message message) {
  auto coordinator = context.connect();
  if (!coordinator) return coordinator.error();
  return (*coordinator)->template ask_for<T>(std::move(message));
}

/// Follows a job to its end: state changes, steps as progress. The code of its end.
ExitCode follow(const Context& context, Coordinator& coordinator, const std::string& job);
/// What Ctrl-C does to a watcher: it says that the job goes on.
ExitCode detached(const Context& context, const std::string& job);

}  // namespace frenzy::cli
