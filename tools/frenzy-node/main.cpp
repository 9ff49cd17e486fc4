// frenzy-node: one a host. Joins a coordinator with its devices; starts a runner for each job.
#include <CLI/CLI.hpp>

#include <filesystem>

#include "frenzy/tools/paths.hpp"
#include "frenzy/tools/signals.hpp"
#include "mains.hpp"

int main(int argc, char** argv) {
  using namespace frenzy;
  tools::block_signals();
  tools::NodeOptions options;
  options.coordinator_state = tools::coordinator_directory();
  bool runner = false;
  CLI::App app("Frenzy's node: offers this host's devices to a coordinator.");
  app.add_option("--coordinator", options.coordinator, "address of the coordinator; none: the one started here");
  app.add_option("--listen", options.listen, "address of its gate; none: any port of loopback if the coordinator is there too, "
                 "else port 4701 of the address that faces it");
  app.add_option("--name", options.name, "name of the node; none: the host's");
  app.add_option("--state", options.state, "state directory");
  app.add_option("--coordinator-state", options.coordinator_state, "where a local coordinator keeps its key and address");
  app.add_option("--device", options.devices, "a virtual device, MEMORY:SPEED, as in 512MiB:2; may be repeated; "
                 "none: half of this host's memory, as fast as it goes");
  app.add_option("--inject", options.faults, "a fault for tests and drills, DEVICE:STEP[:INSTRUCTION]: as in cpu0:7:forward, "
                 "an allocation that fails; may be repeated");
  app.add_option("--carrier", options.carrier, "of its runners' links: auto (shared memory on one host, UCX over networks trusted "
                 "by both sides, else sealed tcp), tcp or ucx (never tcp)")->capture_default_str();
  app.add_option("--trusted-networks", options.trusted_networks, "networks whose every host may write this one's memory through UCX, "
                 "as 10.1.0.0/16")->delimiter(',');
  app.add_option("--runners", options.runners, "runners at once over a trusted network: each has a data port above the gate's")
      ->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--runner-interface", options.interface)->group("");
  app.add_option("--runner-ports", options.data_ports)->group("");
  app.add_option("--log", options.log_file, "log file; none: standard error");
  app.add_flag("--runner", runner, "what a node starts for each job; not for people")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (runner) return tools::runner_main(options);
  return tools::node_main(options, std::filesystem::read_symlink("/proc/self/exe").string());
}
