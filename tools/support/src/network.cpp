#include "frenzy/tools/network.hpp"

#include "frenzy/crypto/crypto.hpp"
#include "frenzy/transport/trusted_networks.hpp"
#include "frenzy/transport/ucx_carrier.hpp"

namespace frenzy::tools {

namespace {

transport::UcxOptions ucx_options(const CarrierOptions& options) {
  return {.trusted_networks = options.trusted_networks, .devices = options.interface, .port_range = options.data_ports,
          .use = options.choice == CarrierChoice::ucx ? transport::UcxUse::require : transport::UcxUse::prefer};
}

}  // namespace

void Network::prepare(const CarrierOptions& options) {
  if (options.choice != CarrierChoice::tcp) transport::set_ucx_environment(ucx_options(options));
}

Result<std::unique_ptr<Network>> Network::create(const Clock& clock, Log& log, const CarrierOptions& options) {
  std::unique_ptr<Network> out(new Network);
  out->log_ = &log;
  auto loop = transport::EventLoop::create(clock);
  if (!loop) return loop.error();
  out->loop_ = std::move(*loop);
  auto crypto = crypto::make_crypto();
  if (!crypto) return crypto.error();
  out->crypto_ = std::move(*crypto);
  if (options.choice == CarrierChoice::tcp) {
    out->carrier_ = std::make_unique<transport::TcpCarrier>(*out->loop_, log);
    return out;
  }
  auto made = transport::make_ucx_carrier(*out->loop_, log, ucx_options(options));
  if (!made) return made.error();
  out->carrier_ = std::move(*made);
  return out;
}

Status Network::open(const NetworkOptions& options, transport::Admission& admission, transport::SessionEvents& events,
                     transport::Handover* handover) {
  transport::SessionOptions session;
  session.role = options.role;
  session.uuid = options.uuid;
  session.admission_key = options.keys.admission;
  session.identity = options.keys.identity;
  auto made = transport::make_session(session, {*carrier_, *loop_, *crypto_, *log_, admission, events, handover});
  if (!made) return made.error();
  session_ = std::move(*made);
  return {};
}

Status check_networks(const std::vector<std::string>& networks) {
  const auto parsed = transport::TrustedNetworks::parse(networks);
  return parsed ? Status() : Status(parsed.error());
}

Result<CarrierChoice> parse_carrier(const std::string& text) {
  if (text == "tcp") return CarrierChoice::tcp;
  if (text == "auto") return CarrierChoice::automatic;
  if (text == "ucx") return CarrierChoice::ucx;
  return error(Errc::invalid_argument, "carrier '{}' is none of auto, tcp, ucx", text);
}

}  // namespace frenzy::tools
