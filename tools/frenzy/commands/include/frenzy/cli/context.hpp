#pragma once
// What verbs are given: everything outside this process's pure part.

#include <functional>
#include <memory>
#include <string_view>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/digest.hpp"
#include "frenzy/base/files.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/cli/command.hpp"
#include "frenzy/cli/coordinator.hpp"
#include "frenzy/cli/surface.hpp"

namespace frenzy::cli {

/// Standard output and standard error. What is written is seen at once.
class Console {
 public:
  virtual ~Console() = default;
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
};

/// Where a coordinator is, and with which key it is asked.
struct Locations {
  std::string coordinator{};  ///< empty: see the state directory
  std::string state{};        ///< of the coordinator on this host
  std::string key_file{};
  friend bool operator==(const Locations&, const Locations&) = default;
};

using ReadEnvironment = std::function<std::string(const char* name)>;

/// Arguments first, then FRENZY_COORDINATOR and FRENZY_KEY_FILE, then the state directory
/// (FRENZY_STATE, XDG_STATE_HOME, HOME).
[[nodiscard]] Locations locate(const Invocation& invocation, const ReadEnvironment& environment);

/// Pointers outlive the context.
struct Context {
  Console* console = nullptr;
  Surface surface{};  ///< of standard output
  Surface errors{};   ///< of standard error
  const Clock* clock = nullptr;
  Files* files = nullptr;
  const ContentHashing* hashing = nullptr;
  Rng* rng = nullptr;
  Locations where{};
  Format format = Format::text;
  std::function<Result<std::unique_ptr<Coordinator>>()> connect{};
};

/// Writes "frenzy: what" to standard error. The code for it.
ExitCode complain(const Context& context, const Error& why);

/// Does what was asked. Everything it has to say is on the console.
[[nodiscard]] ExitCode run(const Context& context, const Command& command);

}  // namespace frenzy::cli
