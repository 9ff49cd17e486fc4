#include "frenzy/tools/network.hpp"

#include "frenzy/crypto/crypto.hpp"
#include "frenzy/transport/ucx_carrier.hpp"

namespace frenzy::tools {

void Network::prepare(CarrierChoice carrier) {
  if (carrier == CarrierChoice::automatic) transport::set_ucx_environment({});
}

Result<std::unique_ptr<Network>> Network::create(const Clock& clock, Log& log, CarrierChoice carrier) {
  std::unique_ptr<Network> out(new Network);
  out->log_ = &log;
  auto loop = transport::EventLoop::create(clock);
  if (!loop) return loop.error();
  out->loop_ = std::move(*loop);
  auto crypto = crypto::make_crypto();
  if (!crypto) return crypto.error();
  out->crypto_ = std::move(*crypto);
  if (carrier == CarrierChoice::tcp) {
    out->carrier_ = std::make_unique<transport::TcpCarrier>(*out->loop_, log);
    return out;
  }
  auto made = transport::make_ucx_carrier(*out->loop_, log, {});
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

Result<CarrierChoice> parse_carrier(const std::string& text) {
  if (text == "tcp") return CarrierChoice::tcp;
  if (text == "auto") return CarrierChoice::automatic;
  return error(Errc::invalid_argument, "carrier '{}' is neither auto nor tcp", text);
}

}  // namespace frenzy::tools
