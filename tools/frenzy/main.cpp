// frenzy: the command line of a user. Reads the world, then does what was asked.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "frenzy/cli/connection.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/tools/paths.hpp"

namespace {

using namespace frenzy;

class ProcessConsole final : public cli::Console {
 public:
  void out(std::string_view text) override { write(stdout, text); }
  void err(std::string_view text) override { write(stderr, text); }

 private:
  static void write(std::FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
  }
};

std::string locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (auto value = tools::environment(name); !value.empty()) return value;
  }
  return {};
}

cli::Surface surface_of(int descriptor) {
  const auto no_color = tools::environment("NO_COLOR"), term = tools::environment("TERM"), language = locale();
  cli::SurfaceFacts facts{.no_color = no_color, .term = term, .locale = language};
  winsize size{};
  if (::isatty(descriptor) == 1) facts.output = cli::Medium::terminal;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0) facts.columns = size.ws_col;
  return cli::surface_for(facts);
}

}  // namespace

int main(int argc, char** argv) {
  ProcessConsole console;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto parsed = cli::parse_arguments(arguments);
  if (const auto* answered = std::get_if<cli::Answered>(&parsed)) {
    if (answered->code == cli::ExitCode::ok) {
      console.out(answered->text);
    } else {
      console.err(format("frenzy: {}\n", answered->text));
    }
    return static_cast<int>(answered->code);
  }
  const auto& invocation = std::get<cli::Invocation>(parsed);
  const SystemClock clock;
  NullLog log;
  RealFiles files;
  Rng rng(seed_from_system());
  const auto hashing = crypto::make_content_hashing();
  cli::Context context{.console = &console, .surface = surface_of(STDOUT_FILENO), .errors = surface_of(STDERR_FILENO),
                       .clock = &clock, .files = &files, .hashing = hashing.get(), .rng = &rng,
                       .where = cli::locate(invocation, tools::environment), .format = invocation.format};
  context.connect = [&] { return cli::connect(context.where, files, rng, clock, log); };
  return static_cast<int>(cli::run(context, invocation.command));
}
