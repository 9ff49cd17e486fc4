// frenzy: the command line of a user.
#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include "frenzy/tools/paths.hpp"
#include "frenzy/tools/signals.hpp"
#include "verbs.hpp"

namespace {

using namespace frenzy;
using tools::Context;

cli::Surface surface() {
  cli::SurfaceFacts facts;
  facts.output = ::isatty(STDOUT_FILENO) == 1 ? cli::Medium::terminal : cli::Medium::file;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) facts.columns = size.ws_col;
  const auto no_color = tools::environment("NO_COLOR"), term = tools::environment("TERM");
  auto locale = tools::environment("LC_ALL");
  if (locale.empty()) locale = tools::environment("LC_CTYPE");
  if (locale.empty()) locale = tools::environment("LANG");
  facts.no_color = no_color;
  facts.term = term;
  facts.locale = locale;
  return cli::surface_for(facts);
}

struct Arguments {
  tools::SubmitOptions submit;
  std::string job, preset = "gpt2-tiny", user;
  bool json = false;
  int code = 0;
};

using Verb = int (*)(const Context&, const std::string&);

/// A verb about one job.
void job_verb(CLI::App& app, const char* name, const char* help, Context& context, Arguments& a, Verb verb) {
  auto* sub = app.add_subcommand(name, help);
  sub->add_option("job", a.job, "its id, the beginning of one, or its name")->required();
  sub->callback([&context, &a, verb] { a.code = verb(context, a.job); });
}

void key_verbs(CLI::App& app, Context& context, Arguments& a) {
  auto* keys = app.add_subcommand("keys", "who may use the coordinator of this host");
  keys->require_subcommand(1);
  keys->add_subcommand("ls", "list users")->callback([&] { a.code = tools::list_keys(context); });
  auto* add = keys->add_subcommand("add", "make a user's key, and say where it is");
  add->add_option("user", a.user)->required();
  add->callback([&] { a.code = tools::add_key(context, a.user); });
  auto* revoke = keys->add_subcommand("revoke", "delete a user's key");
  revoke->add_option("user", a.user)->required();
  revoke->callback([&] { a.code = tools::revoke_key(context, a.user); });
}

void cluster_verbs(CLI::App& app, Context& context, Arguments& a) {
  auto* submit = app.add_subcommand("submit", "submit a job file");
  submit->add_option("file", a.submit.file, "job file (TOML)")->required();
  submit->add_option("-o", a.submit.overrides, "key=value put over the file")->allow_extra_args(false);
  submit->add_flag("--wait", a.submit.wait, "follow it to its end");
  submit->callback([&] { a.code = tools::submit(context, a.submit); });
  app.add_subcommand("ls", "list jobs")->callback([&] { a.code = tools::list_jobs(context); });
  app.add_subcommand("nodes", "list nodes and devices")->callback([&] { a.code = tools::list_nodes(context); });
  app.add_subcommand("doctor", "check key, coordinator and nodes")->callback([&] { a.code = tools::doctor(context); });
  job_verb(app, "show", "what a job is, does, and gets from each device", context, a, tools::show_job);
  job_verb(app, "logs", "state changes and steps", context, a, tools::job_logs);
  job_verb(app, "watch", "follow a job; Ctrl-C stops watching, not the job", context, a, tools::watch_job);
  job_verb(app, "wait", "wait for a job's end", context, a, tools::wait_job);
  job_verb(app, "cancel", "save and end a job", context, a, tools::cancel_job);
  auto* fresh = app.add_subcommand("new", "print a commented job file");
  fresh->add_option("preset", a.preset, "model preset")->capture_default_str();
  fresh->callback([&] { a.code = tools::new_job(a.preset); });
}

}  // namespace

int main(int argc, char** argv) {
  tools::block_signals();
  const SystemClock clock;
  NullLog log;
  Arguments a;
  Context context{.where = {.coordinator = {}, .coordinator_state = tools::coordinator_directory()},
                  .surface = surface(), .clock = &clock, .log = &log};
  CLI::App app("Frenzy trains language models on whatever devices there are.");
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--coordinator", context.where.coordinator, "address; none: the one started here");
  app.add_option("--coordinator-state", context.where.coordinator_state, "its state directory, for address and key");
  app.add_flag_callback("--json", [&] { context.format = tools::Format::json; }, "print JSON");
  cluster_verbs(app, context, a);
  key_verbs(app, context, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return a.code;
}
