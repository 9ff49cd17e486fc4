#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "frenzy/actors/gateway.hpp"
#include "frenzy/actors/node.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/child_runner/child_runner_host.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/logging/logging.hpp"
#include "frenzy/tools/device_book.hpp"
#include "frenzy/tools/device_options.hpp"
#include "frenzy/tools/network.hpp"
#include "frenzy/tools/paths.hpp"
#include "frenzy/tools/signals.hpp"
#include "frenzy/training/injected_fault.hpp"
#include "frenzy/training/planning.hpp"
#include "links.hpp"
#include "mains.hpp"

namespace frenzy::tools {
namespace {

int complain(const Error& why, int code) {
  std::fprintf(stderr, "frenzy-node: %s\n", why.what.c_str());
  return code;
}

std::string host_name() {
  std::array<char, 256> text{};
  return ::gethostname(text.data(), text.size() - 1) == 0 ? std::string(text.data()) : std::string("node");
}

/// The same id at every start with this state directory.
Result<NodeId> node_id(Files& files, const std::string& state) {
  const auto path = state + "/id";
  if (files.exists(path)) {
    auto text = files.read_text(path, Bytes{64});
    if (!text) return text.error();
    while (!text->empty() && text->back() == '\n') text->pop_back();
    return NodeId::parse(*text);
  }
  Rng rng(seed_from_system());
  const auto id = NodeId::random(rng);
  if (auto made = files.make_directory(state); !made) return made.error();
  if (auto written = files.write_text(path, format("{}\n", id), FileMode::shared); !written) return written.error();
  return id;
}

/// The node's own identity, the same at every start, under the key that was given. Kept for its runners too.
Result<crypto::Keys> node_keys(Files& files, transport::Crypto& crypto, const std::string& state, const std::string& cluster) {
  const auto given = crypto::load_keys(files, cluster);
  if (!given) return given.error();
  const auto path = state + "/node.key";
  auto keys = crypto::make_keys(crypto, given->admission);
  if (files.exists(path)) {
    const auto before = crypto::load_keys(files, path);
    if (!before) return before.error();
    keys.identity = before->identity;
  }
  keys.coordinator = given->coordinator;
  if (auto saved = crypto::save_keys(files, path, keys); !saved) return saved.error();
  return keys;
}

struct Settings {
  model::NodeSpec node;
  std::string coordinator, state, cluster_key;
};

Result<Settings> settings_for(const NodeOptions& options, Files& files) {
  Settings out;
  out.node.name = options.name.empty() ? host_name() : options.name;
  out.state = options.state.empty() ? format("{}/nodes/{}", state_root(), out.node.name) : options.state;
  out.cluster_key = environment("FRENZY_KEY_FILE");
  if (out.cluster_key.empty()) out.cluster_key = cluster_key_path(options.coordinator_state);
  out.coordinator = options.coordinator;
  if (out.coordinator.empty()) {
    auto address = read_address(files, options.coordinator_state);
    if (!address) return address.error();
    out.coordinator = *address;
  }
  const auto id = node_id(files, out.state);
  if (!id) return id.error();
  out.node.id = *id;
  auto devices = parse_devices(options.devices);
  if (!devices) return devices.error();
  Rng rng(seed_from_system());
  if (auto named = identify(*devices, out.node.name, files, out.state + "/devices", rng); !named) return named.error();
  out.node.devices = std::move(*devices);
  return out;
}

Result<actors::CompiledProgram> compile(const model::Plan& plan, DeviceId device) {
  const auto packed = training::compile_for(plan, device);
  if (!packed) return packed.error();
  return actors::CompiledProgram{program::fingerprint(packed->program), packed->arena};
}

int serve(Network& network, actors::SessionBridge& bridge, actors::NodeParts parts) {
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  caf::actor_system system(config);
  parts.gateway = actors::spawn_gateway(system, parts.env, network.session());
  const auto gateway = parts.gateway;
  bridge.attach(network.session(), gateway);
  {
    transport::LoopThread thread(network.loop());
    const auto node = actors::spawn_node(system, std::move(parts));
    static_cast<void>(wait_for_signal());
    caf::scoped_actor self(system);
    caf::anon_send(node, actors::msg(actors::LeaveCluster{"its process was told to end"}));
    self->wait_for(node);
    caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
    self->wait_for(gateway);
  }
  bridge.detach();
  return 0;
}

}  // namespace

int node_main(const NodeOptions& options, const std::string& program) {
  const auto carrier = parse_carrier(options.carrier);
  if (!carrier) return complain(carrier.error(), 2);
  if (const auto faults = training::parse_faults(options.faults); !faults) return complain(faults.error(), 2);
  if (const auto checked = check_networks(options.trusted_networks); !checked) return complain(checked.error(), 2);
  // Between hosts its own links stay on the gate, sealed: only runners move enough to need UCX there.
  const CarrierOptions carrier_options{.choice = *carrier == CarrierChoice::tcp ? *carrier : CarrierChoice::automatic};
  Network::prepare(carrier_options);
  RealFiles files;
  auto settings = settings_for(options, files);
  if (!settings) return complain(settings.error(), settings.error().code == Errc::unreachable ? 3 : 2);
  auto log = logging::open_log({.file = options.log_file});
  if (!log) return complain(log.error(), 1);
  const SystemClock clock;
  auto network = Network::create(clock, **log, carrier_options);
  if (!network) return complain(network.error(), 1);
  const auto keys = node_keys(files, (*network)->crypto(), settings->state, settings->cluster_key);
  if (!keys) return complain(keys.error(), 1);
  transport::ClusterAdmission admission((*network)->crypto(), keys->admission,
                                        {transport::Role::coordinator, transport::Role::runner}, keys->coordinator);
  const actors::Environment env{&(*network)->loop(), log->get()};
  actors::SessionBridge bridge(env);
  child_runner::ChildRunnerHost runners((*network)->loop(), **log, program);
  auto opened = (*network)->open({transport::Role::node, settings->node.id.uuid, *keys}, admission, bridge, &runners);
  if (!opened) return complain(opened.error(), 1);
  const auto listen = listen_address(options, settings->coordinator);
  if (!listen) return complain(listen.error(), listen.error().code == Errc::unreachable ? 3 : 2);
  const auto address = (*network)->session().listen(*listen);
  if (!address) return complain(address.error(), 1);
  settings->node.address = *address;
  auto arguments = runner_arguments(options, *address);
  if (!arguments) return complain(arguments.error(), 2);
  runners.set_arguments(std::move(*arguments));
  const auto hashing = crypto::make_content_hashing();
  content::ContentStore content(files, *hashing, settings->state + "/content");
  content::ContentStore saves(files, *hashing, settings->state + "/saves", content::Layout::pieces);
  actors::NodeParts parts{.env = env, .runners = &runners, .content = &content, .saves = &saves};
  parts.compile = compile;
  parts.coordinator = settings->coordinator;
  parts.key_file = settings->state + "/node.key";
  parts.node = settings->node;
  return serve(**network, bridge, std::move(parts));
}

}  // namespace frenzy::tools
