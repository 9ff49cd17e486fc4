#pragma once
// The carrier of one simulated process; see simulated_network.hpp.
// Thread: the one that runs the VirtualTasks.

#include <map>
#include <set>

#include "frenzy/transport/carrier.hpp"

namespace frenzy::transport {

class SimulatedNetwork;
class SimulatedProcess;

class SimulatedCarrier final : public Carrier {
 public:
  SimulatedCarrier(SimulatedNetwork& network, SimulatedProcess& process)
      : network_(network), process_(process) {}

  void start(CarrierEvents& events) override { events_ = &events; }
  void stop() override;
  Result<std::string> listen(const std::string& address) override;
  LinkId connect(const std::string& address) override;
  void send_packet(LinkId link, std::vector<std::byte> bytes) override;
  std::vector<std::byte> offer(LinkId, std::span<const std::byte>) override { return {}; }
  void upgrade(LinkId link, std::span<const std::byte> their_offer) override;
  void send(LinkId link, const OutFrame& frame) override;
  void close(LinkId link) override;
  Result<int> release(LinkId link) override;
  std::string local_address(LinkId) const override { return "this process"; }
  std::string_view name(LinkId) const override { return "simulated"; }
  std::string_view reason(LinkId) const override { return "this process is simulated"; }
  std::uint32_t window() const override { return 64; }

 private:
  friend class SimulatedNetwork;
  void post(std::function<void(CarrierEvents&)> event);

  SimulatedNetwork& network_;
  SimulatedProcess& process_;
  CarrierEvents* events_ = nullptr;
  std::set<std::string> listening_;
};

}  // namespace frenzy::transport
