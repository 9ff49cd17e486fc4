#include "frenzy/transport/simulated_carrier.hpp"

#include <memory>

#include "frenzy/transport/frame.hpp"
#include "frenzy/transport/simulated_network.hpp"

namespace frenzy::transport {

void SimulatedCarrier::stop() {
  if (events_ == nullptr) return;
  events_ = nullptr;
  listening_.clear();
  std::vector<LinkId> mine;
  for (const auto& [link, end] : network_.ends_) {
    if (end.process == &process_) mine.push_back(link);
  }
  for (const auto link : mine) {
    network_.close(link, error(Errc::unreachable, "{} stopped", process_.name()));
    network_.ends_.erase(link);
  }
}

Result<std::string> SimulatedCarrier::listen(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || address.substr(0, colon) != process_.name()) {
    return error(Errc::invalid_argument, "'{}' is not an address of process {}", address,
                 process_.name());
  }
  auto bound = address;
  if (address.substr(colon + 1) == "0") bound = format("{}:{}", process_.name(), network_.next_port_++);
  if (!listening_.insert(bound).second) return error(Errc::io, "{} is in use", bound);
  return bound;
}

LinkId SimulatedCarrier::connect(const std::string& address) {
  return network_.connect(process_, address);
}

void SimulatedCarrier::post(std::function<void(CarrierEvents&)> event) {
  process_.tasks().post([this, event = std::move(event)] {
    if (events_ != nullptr) event(*events_);
  });
}

void SimulatedCarrier::send_packet(LinkId link, std::vector<std::byte> bytes) {
  const auto end = network_.ends_.find(link);
  if (end == network_.ends_.end() || !end->second.open) return;
  const auto to = end->second.other;
  const auto size = bytes.size();
  network_.deliver(to, SimulatedNetwork::Lane::small, size,
                   [to, bytes = std::move(bytes)](SimulatedCarrier& receiver) {
                     receiver.events_->alive(to);
                     receiver.events_->packet(to, bytes);
                   });
}

void SimulatedCarrier::upgrade(LinkId link, std::span<const std::byte>) {
  post([link](CarrierEvents& events) { events.framed(link); });
}

void SimulatedCarrier::send(LinkId link, const OutFrame& frame) {
  const auto end = network_.ends_.find(link);
  if (end == network_.ends_.end() || !end->second.open) return;
  const auto to = end->second.other;
  const auto lane = frame.payload.size() > 8192 ? SimulatedNetwork::Lane::large
                                                : SimulatedNetwork::Lane::small;
  network_.deliver(
      to, lane, frame.payload.size() + kWireHeader,
      [to, header = frame.header,
       payload = std::vector<std::byte>(frame.payload.begin(), frame.payload.end())](
          SimulatedCarrier& receiver) {
        receiver.events_->alive(to);
        const auto landing = receiver.events_->header(to, header);
        if (!landing) return receiver.close(to);
        std::copy(payload.begin(), payload.end(), landing->into.begin());
        receiver.events_->arrived(to, landing->token);
      });
  post([link, token = frame.token, this](CarrierEvents& events) {
    const auto still = network_.ends_.find(link);
    if (still != network_.ends_.end() && still->second.open) events.sent(link, token);
  });
}

void SimulatedCarrier::close(LinkId link) {
  network_.close(link, error(Errc::unreachable, "closed by {}", process_.name()));
}

Result<int> SimulatedCarrier::release(LinkId) {
  return error(Errc::unsupported, "a simulated link has no socket to hand over");
}

}  // namespace frenzy::transport
