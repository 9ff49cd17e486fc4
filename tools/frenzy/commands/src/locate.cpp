#include "frenzy/cli/context.hpp"
#include "frenzy/tools/paths.hpp"

namespace frenzy::cli {

Locations locate(const Invocation& invocation, const ReadEnvironment& environment) {
  Locations out;
  out.coordinator = invocation.coordinator.empty() ? environment("FRENZY_COORDINATOR") : invocation.coordinator;
  out.state = invocation.state.empty() ? tools::coordinator_directory() : invocation.state;
  out.key_file = environment("FRENZY_KEY_FILE");
  if (out.key_file.empty()) out.key_file = tools::user_key_path(out.state, "admin");
  return out;
}

ExitCode complain(const Context& context, const Error& why) {
  context.console->err(format("frenzy: {}\n", clean(why.what)));
  return exit_code(why);
}

}  // namespace frenzy::cli
