#include "frenzy/cli/doctor.hpp"

#include <algorithm>
#include <filesystem>

#include "frenzy/base/version.hpp"
#include "frenzy/cli/connection.hpp"
#include "frenzy/cli/json_writer.hpp"
#include "frenzy/crypto/keys.hpp"
#include "verbs.hpp"

namespace frenzy::cli {
namespace {

constexpr Bytes kLeastSharedMemory = 64_MiB;  ///< UCX's segments of a few runners
constexpr Bytes kLeastDisk = 1_GiB;

std::optional<Bytes> free_space(std::filesystem::path path) {
  std::error_code failed;
  while (!path.empty() && !std::filesystem::exists(path, failed) && path != path.root_path()) path = path.parent_path();
  const auto space = std::filesystem::space(path, failed);
  if (failed) return std::nullopt;
  return Bytes{space.available};
}

}  // namespace

HostFacts read_host(const std::string& state, const std::string& key_file) {
  HostFacts out{.disk = free_space(std::filesystem::absolute(state))};
  std::error_code failed;
  if (std::filesystem::exists("/dev/shm", failed)) out.shared_memory = free_space("/dev/shm");
  const auto status = std::filesystem::status(key_file, failed);
  if (!failed) out.key_mode = static_cast<unsigned>(status.permissions()) & 0777U;
  return out;
}

Check check_key(const std::string& key_file, const Status& loaded, unsigned mode) {
  if (!loaded) return {false, loaded.error().what, "start frenzy-coordinator here once, or set FRENZY_KEY_FILE to a key made with `frenzy keys add USER`"};
  if ((mode & 077U) != 0) return {false, format("key file {} can be read by others", key_file), format("chmod 600 {}", key_file)};
  return {true, format("key file {}", key_file)};
}

Check check_coordinator(const std::string& address, const Status& reached) {
  if (reached) return {true, format("coordinator at {} answers", address)};
  const bool key = reached.error().code == Errc::refused;
  return {false, reached.error().what,
          key ? "use a key of that coordinator: FRENZY_KEY_FILE, or `frenzy keys list` on its host"
              : "start frenzy-coordinator, or name its address with --coordinator or FRENZY_COORDINATOR"};
}

Check check_version(const codec::Welcome& welcome, std::string_view ours) {
  if (welcome.version == ours) return {true, format("version {}, incarnation {}", welcome.version, welcome.incarnation)};
  return {false, format("the coordinator is version {}, this client {}", welcome.version, ours), "install the same version on both"};
}

std::vector<Check> check_nodes(std::span<const model::NodeStatus> nodes) {
  std::vector<Check> out;
  std::size_t healthy = 0, devices = 0;
  for (const auto& node : nodes) {
    if (node.state == model::NodeState::healthy) {
      ++healthy;
      devices += node.node.devices.size();
      continue;
    }
    out.push_back({false, format("node {} is {}: {}", node.node.name, model::name_of(node.state), node.reason),
                   format("see the log of frenzy-node on {}, and start it again", node.node.name)});
  }
  Check all{healthy > 0, format("{} healthy nodes with {} devices", healthy, devices)};
  if (!all.good) all = {false, "no healthy node", "start one: frenzy-node --device 512MiB:2"};
  out.insert(out.begin(), all);
  return out;
}

std::vector<Check> check_host(const HostFacts& facts) {
  std::vector<Check> out;
  if (!facts.shared_memory) {
    out.push_back({false, "/dev/shm is missing, so processes of this host talk over TCP", "mount a tmpfs at /dev/shm"});
  } else {
    out.push_back({*facts.shared_memory >= kLeastSharedMemory, format("{} free in /dev/shm for UCX shared memory", *facts.shared_memory)});
    if (!out.back().good) out.back().fix = format("free at least {} there, or start daemons with --carrier tcp", kLeastSharedMemory);
  }
  if (!facts.disk) return out;
  out.push_back({*facts.disk >= kLeastDisk, format("{} free for the state directory", *facts.disk)});
  if (!out.back().good) out.back().fix = format("free at least {} on that disk, or set FRENZY_STATE to another", kLeastDisk);
  return out;
}

std::string checks_text(std::span<const Check> checks) {
  std::string out;
  for (const auto& check : checks) {
    out += format("{}  {}\n", check.good ? "ok     " : "problem", clean(check.what));
    if (!check.good) out += format("         fix: {}\n", clean(check.fix));
  }
  return out;
}

std::string checks_json(std::span<const Check> checks) {
  JsonWriter json;
  json.begin_array();
  for (const auto& check : checks) {
    json.begin_object().field("ok", check.good).field("what", check.what);
    if (!check.good) json.field("fix", check.fix);
    json.end_object();
  }
  return json.end_array().text() + '\n';
}

namespace {

/// What a reachable coordinator says. The code if it cannot be asked.
ExitCode add_cluster_checks(const Context& context, std::vector<Check>& checks) {
  const auto address = coordinator_address(context.where, *context.files);
  auto coordinator = address ? context.connect() : Result<std::unique_ptr<Coordinator>>(address.error());
  const auto reached = coordinator ? Status() : Status(coordinator.error());
  checks.push_back(check_coordinator(address ? *address : std::string("?"), reached));
  if (!reached) return exit_code(reached.error());
  const auto welcome = (*coordinator)->ask_for<codec::Welcome>(codec::Hello{.role = codec::Role::client, .version = std::string(kVersion)});
  if (!welcome) return exit_code(welcome.error());
  checks.push_back(check_version(*welcome, kVersion));
  const auto nodes = (*coordinator)->ask_for<codec::NodeList>(codec::ListNodes{});
  if (!nodes) return exit_code(nodes.error());
  for (auto& check : check_nodes(nodes->nodes)) checks.push_back(std::move(check));
  return ExitCode::ok;
}

}  // namespace

ExitCode do_verb(const Context& context, const command::Doctor&) {
  const auto facts = read_host(context.where.state, context.where.key_file);
  const auto keys = crypto::load_keys(*context.files, context.where.key_file);
  std::vector<Check> checks{check_key(context.where.key_file, keys ? Status() : Status(keys.error()), facts.key_mode)};
  auto code = add_cluster_checks(context, checks);
  for (auto& check : check_host(facts)) checks.push_back(std::move(check));
  context.console->out(context.format == Format::json ? checks_json(checks) : checks_text(checks));
  const bool all_good = std::ranges::all_of(checks, &Check::good);
  return code == ExitCode::ok && !all_good ? ExitCode::failed : code;
}

}  // namespace frenzy::cli
