#include "verbs.hpp"

namespace frenzy::cli {

ExitCode run(const Context& context, const Command& command) {
  return std::visit([&](const auto& verb) { return do_verb(context, verb); }, command);
}

}  // namespace frenzy::cli
