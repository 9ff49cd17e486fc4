#include "frenzy/cli/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

#include "frenzy/base/text.hpp"
#include "frenzy/base/version.hpp"

namespace frenzy::cli {
namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 ok, 1 job failed, 2 usage, 3 cannot reach, 4 not found, 5 does not fit, 6 cancelled, 130 interrupted.";
/// Verbs of the design that this version lacks: refused by name, not as a typing error.
constexpr std::array<std::string_view, 8> kNotYet{"plan",  "estimate", "pause", "resume",
                                                  "drain", "trace",    "data",  "simulate"};

/// A subcommand whose options fill a T that outlives the parser; being parsed, it is the command.
template <class T>
CLI::App* verb(CLI::App& app, const char* name, const char* help, T& into, Command& chosen) {
  auto* sub = app.add_subcommand(name, help);
  sub->callback([&] { chosen = into; });
  return sub;
}

struct Values {
  command::New fresh{};
  command::Submit submit{};
  command::List list{};
  command::Show show{};
  command::Logs logs{};
  command::Watch watch{};
  command::Wait wait{};
  command::Cancel cancel{};
  command::Nodes nodes{};
  command::RemoveNode remove_node{};
  command::Doctor doctor{};
  command::Keys key_list{}, key_add{command::KeyAction::add}, key_revoke{command::KeyAction::revoke},
      key_rotate{command::KeyAction::rotate};
  command::CheckpointList checkpoint_list{};
  command::CheckpointVerify verify{};
  command::CheckpointExport exported{};
  command::CheckpointSample sample{};
};

template <class T>
CLI::App* job_verb(CLI::App& app, const char* name, const char* help, T& into, Command& chosen) {
  auto* sub = verb(app, name, help, into, chosen);
  sub->add_option("job", into.job, "its id, the beginning of one, or its name")->required();
  return sub;
}

void json_flag(CLI::App* sub, Format& format) {
  sub->add_flag_callback("--json", [&format] { format = Format::json; }, "print JSON");
}

void add_job_verbs(CLI::App& app, Values& v, Invocation& out) {
  auto& chosen = out.command;
  auto* fresh = verb(app, "new", "write a commented job file to start from", v.fresh, chosen);
  fresh->add_option("file", v.fresh.file, "where to; none: standard output");
  fresh->add_option("--preset", v.fresh.preset, "model preset")->capture_default_str();
  auto* submit = verb(app, "submit", "send a job file and its data, and start the job", v.submit, chosen);
  submit->add_option("file", v.submit.file, "job file (TOML)")->required();
  submit->add_option("-o", v.submit.overrides, "key=value put over the file; may be repeated")->allow_extra_args(false);
  submit->add_flag("--wait", v.submit.wait, "follow it to its end");
  json_flag(submit, out.format);
  json_flag(verb(app, "ls", "list jobs", v.list, chosen), out.format);
  json_flag(job_verb(app, "show", "what a job is, does, and takes of each device", v.show, chosen), out.format);
  auto* logs = job_verb(app, "logs", "state changes and steps, one line each", v.logs, chosen);
  logs->add_flag("--plot", v.logs.plot, "draw the loss curve instead");
  json_flag(logs, out.format);
  json_flag(job_verb(app, "watch", "follow a job; Ctrl-C ends the watching, not the job", v.watch, chosen), out.format);
  job_verb(app, "wait", "wait until a job has ended", v.wait, chosen);
  job_verb(app, "cancel", "save a job's state and end it", v.cancel, chosen);
}

void add_cluster_verbs(CLI::App& app, Values& v, Invocation& out) {
  auto& chosen = out.command;
  auto* nodes = app.add_subcommand("nodes", "list nodes and their devices, or remove one");
  json_flag(nodes, out.format);
  nodes->callback([&v, &chosen, nodes] {
    if (nodes->get_subcommands().empty()) chosen = v.nodes;
  });
  verb(*nodes, "remove", "forget a node and refuse its identity from now on; its jobs fail", v.remove_node, chosen)
      ->add_option("node", v.remove_node.node, "its name or id")->required();
  json_flag(verb(app, "doctor", "check keys, coordinator, nodes and this host", v.doctor, chosen), out.format);
  auto* keys = app.add_subcommand("keys", "who may use the coordinator of this host");
  keys->require_subcommand(1);
  json_flag(verb(*keys, "list", "list users", v.key_list, chosen), out.format);
  auto* add = verb(*keys, "add", "make a user's key, and say where it is", v.key_add, chosen);
  add->add_option("user", v.key_add.user)->required();
  add->add_option_function<std::string>("--role", [&v](const std::string& name) { v.key_add.role = parse_user_role(name).value_or(UserRole::user); },
                                        "read: look on; user: submit, and cancel one's own; admin: everything")
      ->check(CLI::IsMember({"read", "user", "admin"}))->default_str("user");
  verb(*keys, "revoke", "delete a user's key", v.key_revoke, chosen)->add_option("user", v.key_revoke.user)->required();
  verb(*keys, "rotate", "give a user another key", v.key_rotate, chosen)->add_option("user", v.key_rotate.user)->required();
}

void add_checkpoint_verbs(CLI::App& app, Values& v, Invocation& out) {
  auto& chosen = out.command;
  auto* checkpoint = app.add_subcommand("checkpoint", "saved state: of a directory, or of a job through the coordinator");
  checkpoint->require_subcommand(1);
  const auto source = [](CLI::App* sub, std::string& into) {
    sub->add_option("source", into, "directory of checkpoints, or a job")->required();
  };
  auto* list = verb(*checkpoint, "ls", "list saves", v.checkpoint_list, chosen);
  source(list, v.checkpoint_list.source);
  json_flag(list, out.format);
  source(verb(*checkpoint, "verify", "read every byte and compare digests", v.verify, chosen), v.verify.source);
  auto* exported = verb(*checkpoint, "export", "write the weights as Hugging Face's files, and the whole save into OUT/checkpoint", v.exported, chosen);
  source(exported, v.exported.source);
  exported->add_option("out", v.exported.out, "directory to write into")->required();
  exported->add_flag("--weights-only", v.exported.weights_only, "only Hugging Face's files");
  auto* sample = verb(*checkpoint, "sample", "generate text", v.sample, chosen);
  source(sample, v.sample.source);
  sample->add_option("--prompt", v.sample.prompt, "what the text begins with")->required();
  sample->add_option("--tokens", v.sample.tokens, "tokens to add")->check(CLI::Range(1U, 100000U))->capture_default_str();
  sample->add_option("--temperature", v.sample.temperature, "0: always the likeliest")->check(CLI::Range(0.0, 100.0))->capture_default_str();
  sample->add_option("--seed", v.sample.seed)->capture_default_str();
}

std::optional<std::string> unknown_verb(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (name.starts_with('-') || std::ranges::find(names, name) != names.end()) return std::nullopt;
  const auto close = nearest(name, views);
  return format("there is no '{}'{}; `frenzy --help` lists what there is", name, close ? format(", did you mean '{}'?", *close) : "");
}

std::variant<Invocation, Answered> parsed(CLI::App& app, std::span<const std::string> arguments, const Invocation& out) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
    return out;
  } catch (const CLI::ParseError& e) {
    std::ostringstream help, problem;
    if (app.exit(e, help, problem) == 0) return Answered{ExitCode::ok, help.str()};
    std::string first = e.what();
    return Answered{ExitCode::usage, format("{}; `frenzy --help` lists what there is", first.substr(0, first.find('\n')))};
  }
}

}  // namespace

std::variant<Invocation, Answered> parse_arguments(std::span<const std::string> arguments) {
  if (!arguments.empty() && std::ranges::find(kNotYet, arguments.front()) != kNotYet.end()) {
    return Answered{ExitCode::usage, format("{} is not something this version does", arguments.front())};
  }
  Invocation out;
  Values values;
  CLI::App app("Frenzy trains language models on whatever devices there are.", "frenzy");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(std::string(kExitCodes));
  app.set_version_flag("--version", std::string(kVersion));
  app.add_option("--coordinator", out.coordinator, "its address; none: $FRENZY_COORDINATOR, else the one started here");
  app.add_option("--coordinator-state", out.state, "state directory of the coordinator on this host, for its address and keys");
  add_job_verbs(app, values, out);
  add_cluster_verbs(app, values, out);
  add_checkpoint_verbs(app, values, out);
  if (!arguments.empty()) {
    if (auto problem = unknown_verb(app, arguments.front())) return Answered{ExitCode::usage, std::move(*problem)};
  }
  return parsed(app, arguments, out);
}

}  // namespace frenzy::cli
