// frenzy-coordinator: one a cluster. Opens its store, then its gate, then the actors.
#include <CLI/CLI.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <cstdio>

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "frenzy/logging/logging.hpp"
#include "frenzy/tools/interfaces.hpp"
#include "frenzy/tools/keyring.hpp"
#include "frenzy/tools/network.hpp"
#include "frenzy/tools/paths.hpp"
#include "frenzy/tools/signals.hpp"
#include "frenzy/training/planning.hpp"

namespace {

using namespace frenzy;

struct Options {
  std::string listen = "127.0.0.1:4700";
  std::string state = tools::coordinator_directory();
  std::string carrier = "auto";
  std::string log_file;
};

int complain(const Error& why, int code) {
  std::fprintf(stderr, "frenzy-coordinator: %s\n", why.what.c_str());
  return code;
}

actors::CoordinatorParts parts_for(actors::Environment env, store::Store& store, content::ContentStore& content) {
  actors::CoordinatorParts parts{.env = env, .store = &store, .content = &content};
  parts.parse = [](const std::string& toml) { return job_file::parse_job(toml, "job.toml"); };
  parts.plan = training::plan_job;
  return parts;
}

/// What to type on another machine, if one can reach this address.
void greet(const std::string& address, const std::string& state) {
  std::printf("frenzy-coordinator listens at %s, state in %s\n", address.c_str(), state.c_str());
  if (!tools::is_loopback(address)) {
    const auto host = transport::host_of(address);
    std::printf("To add the devices of another machine, type there (the key admits nodes: keep it secret)\n"
                "  scp %s:%s .\n"
                "  FRENZY_KEY_FILE=cluster.key frenzy-node --coordinator %s\n"
                "and to use the cluster from there\n"
                "  scp %s:%s .\n"
                "  FRENZY_KEY_FILE=admin.key frenzy --coordinator %s nodes\n",
                host.c_str(), tools::cluster_key_path(state).c_str(), address.c_str(), host.c_str(),
                tools::user_key_path(state, "admin").c_str(), address.c_str());
  }
  std::fflush(stdout);
}

/// From the open gate to the signal that ends it.
int serve(tools::Network& network, actors::SessionBridge& bridge, actors::CoordinatorParts parts) {
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  caf::actor_system system(config);
  parts.gateway = actors::spawn_gateway(system, parts.env, network.session());
  const auto gateway = parts.gateway;
  bridge.attach(network.session(), gateway);
  const auto coordinator = actors::spawn_coordinator(system, std::move(parts));
  {
    transport::LoopThread thread(network.loop());
    static_cast<void>(tools::wait_for_signal());
    caf::anon_send_exit(coordinator, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
  }
  bridge.detach();
  return 0;
}

int run(const Options& options) {
  const auto carrier = tools::parse_carrier(options.carrier);
  if (!carrier) return complain(carrier.error(), 2);
  if (*carrier == tools::CarrierChoice::ucx) {
    return complain(error(Errc::invalid_argument, "a coordinator's links are auto or tcp; --carrier ucx is for the runners of nodes"), 2);
  }
  if (const auto checked = tools::check_listen(options.listen); !checked) return complain(checked.error(), 2);
  const tools::CarrierOptions network_options{.choice = *carrier};
  tools::Network::prepare(network_options);
  auto log = logging::open_log({.file = options.log_file});
  if (!log) return complain(log.error(), 1);
  const SystemClock clock;
  RealFiles files;
  auto store = store::Store::open(options.state);
  if (!store) return complain(store.error(), 1);
  auto network = tools::Network::create(clock, **log, network_options);
  if (!network) return complain(network.error(), 1);
  const auto keys = tools::coordinator_keys(files, (*network)->crypto(), options.state);
  if (!keys) return complain(keys.error(), 1);
  tools::Keyring keyring(files, (*network)->crypto(), clock, options.state, keys->admission);
  const actors::Environment env{&(*network)->loop(), log->get()};
  actors::SessionBridge bridge(env, [&keyring](const transport::PeerInfo& peer) { return keyring.user(peer.key_id); });
  Rng rng(seed_from_system());
  auto opened = (*network)->open({transport::Role::coordinator, Uuid::random(rng), *keys}, keyring, bridge);
  if (!opened) return complain(opened.error(), 1);
  const auto address = (*network)->session().listen(options.listen);
  if (!address) return complain(address.error(), 1);
  if (auto written = tools::write_address(files, options.state, *address); !written) return complain(written.error(), 1);
  const auto hashing = crypto::make_content_hashing();
  content::ContentStore content(files, *hashing, options.state + "/content");
  auto parts = parts_for(env, **store, content);
  auto jobs = (*store)->jobs();
  if (!jobs) return complain(jobs.error(), 1);
  parts.jobs = std::move(*jobs);
  auto nodes = (*store)->nodes();
  if (!nodes) return complain(nodes.error(), 1);
  parts.nodes = std::move(*nodes);
  greet(*address, options.state);
  return serve(**network, bridge, std::move(parts));
}

}  // namespace

int main(int argc, char** argv) {
  tools::block_signals();
  Options options;
  CLI::App app("Frenzy's coordinator: takes jobs, plans them on the nodes that have joined.");
  app.add_option("--listen", options.listen, "address of its gate; port 0 picks one")->capture_default_str();
  app.add_option("--state", options.state, "state directory")->capture_default_str();
  app.add_option("--carrier", options.carrier, "auto (shared memory on one host) or tcp")->capture_default_str();
  app.add_option("--log", options.log_file, "log file; none: standard error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return run(options);
}
