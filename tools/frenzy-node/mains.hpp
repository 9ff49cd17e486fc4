#pragma once

#include <string>
#include <vector>

namespace frenzy::tools {

struct NodeOptions {
  std::string coordinator;          ///< address; empty: the one started here
  std::string listen;               ///< empty: see listen_address()
  std::string name;                 ///< empty: the host's
  std::string state;                ///< empty: below the state root
  std::string coordinator_state;    ///< where keys and address of a local coordinator are
  std::string carrier = "auto";
  std::vector<std::string> trusted_networks;
  std::uint16_t runners = 8;        ///< data ports for that many at once
  std::string interface, data_ports;  ///< of a runner, from its node
  std::string log_file;
  std::vector<std::string> devices;
  std::vector<std::string> faults;  ///< injected into its runners
};

/// The node process. Returns its exit code.
int node_main(const NodeOptions& options, const std::string& program);
/// A runner: commanded over descriptors 3 and 4.
int runner_main(const NodeOptions& options);

}  // namespace frenzy::tools
