// doctor: what stands between this user and a running job, one line a check.
#include <cstdio>

#include "frenzy/tools/paths.hpp"
#include "verbs.hpp"

namespace frenzy::tools {
namespace {

int failures = 0;

void line(bool good, const std::string& what) {
  std::printf("%s  %s\n", good ? "ok  " : "FAIL", what.c_str());
  if (!good) ++failures;
}

void check_nodes(const std::vector<model::NodeStatus>& nodes) {
  std::size_t healthy = 0, devices = 0;
  for (const auto& node : nodes) {
    if (node.state == model::NodeState::healthy) {
      ++healthy;
      devices += node.node.devices.size();
    } else {
      line(false, format("node {} is {}: {}", node.node.name, model::name_of(node.state), node.reason));
    }
  }
  line(healthy > 0, healthy > 0 ? format("{} healthy nodes with {} devices", healthy, devices)
                                : std::string("no healthy node: start one with frenzy-node --device 512MiB:2"));
}

}  // namespace

int doctor(const Context& context) {
  failures = 0;
  RealFiles files;
  auto key = environment("FRENZY_KEY_FILE");
  if (key.empty()) key = user_key_path(context.where.coordinator_state, "admin");
  const auto keys = crypto::load_keys(files, key);
  line(keys.ok(), keys ? format("key {}", key) : keys.error().what);
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  line(connection.ok(), connection ? format("coordinator at {} answers", (*connection)->address()) : connection.error().what);
  if (!connection) return exit_code(connection.error());
  const auto hello = (*connection)->ask_for<codec::Welcome>(codec::Hello{.role = codec::Role::client});
  line(hello.ok(), hello ? format("version {}, incarnation {}", hello->version, hello->incarnation) : hello.error().what);
  const auto nodes = (*connection)->ask_for<codec::NodeList>(codec::ListNodes{});
  if (nodes) {
    check_nodes(nodes->nodes);
  } else {
    line(false, nodes.error().what);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace frenzy::tools
