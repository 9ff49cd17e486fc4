#include "links.hpp"

#include <string_view>

#include "frenzy/tools/interfaces.hpp"
#include "frenzy/transport/socket_address.hpp"

namespace frenzy::tools {
namespace {

/// The port that README documents.
constexpr std::string_view kGatePort = "4701";

Result<std::string> data_ports(const std::string& gate, std::uint16_t runners) {
  const auto parts = transport::split_address(gate);
  if (!parts) return parts.error();
  const auto first = std::stoi(parts->port) + 1;
  if (first + runners - 1 > 65535) {
    return error(Errc::invalid_argument, "{} data ports above {} do not exist: choose a lower --listen port or fewer --runners", runners, gate);
  }
  return format("{}-{}", first, first + runners - 1);
}

}  // namespace

Result<std::string> listen_address(const NodeOptions& options, const std::string& coordinator) {
  if (const auto checked = check_listen(options.listen); !checked) return checked.error();
  if (!options.listen.empty()) return options.listen;
  if (is_loopback(coordinator)) return std::string("127.0.0.1:0");
  const auto host = host_towards(coordinator);
  if (!host) return host.error();
  return format("{}:{}", *host, kGatePort);
}

Result<std::vector<std::string>> runner_arguments(const NodeOptions& options, const std::string& gate) {
  std::vector<std::string> out{"--runner", "--carrier", options.carrier};
  if (!options.trusted_networks.empty()) {
    const auto ports = data_ports(gate, options.runners);
    if (!ports) return ports.error();
    for (const auto& network : options.trusted_networks) out.insert(out.end(), {"--trusted-networks", network});
    out.insert(out.end(), {"--runner-interface", interface_of(gate), "--runner-ports", *ports});
  }
  for (const auto& fault : options.faults) out.insert(out.end(), {"--inject", fault});
  return out;
}

}  // namespace frenzy::tools
