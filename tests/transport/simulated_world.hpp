#pragma once
#include "frenzy/transport/simulated_crypto.hpp"
#include "frenzy/transport/simulated_network.hpp"
#include "world.hpp"

namespace frenzy::transport::test {

class SimulatedWorld final : public World {
 public:
  explicit SimulatedWorld(SimulatedNetworkOptions options = {}) : network(time, options) {}

  Host& add(const HostOptions& options) override {
    const auto number = static_cast<std::uint8_t>(hosts_.size() + 1);
    hosts_.push_back(std::make_unique<SimulatedHost>(*this, options, number));
    return *hosts_.back();
  }
  bool wait(const std::function<bool()>& ready, std::chrono::milliseconds limit) override {
    const auto end = time.clock().now() + limit;
    while (!ready()) {
      if (time.clock().now() >= end) return false;
      if (time.idle()) time.run_for(1ms);
      else time.run_one();
    }
    return true;
  }
  [[nodiscard]] bool simulated() const override { return true; }

  VirtualTasks time;
  SimulatedNetwork network;

 private:
  class SimulatedHost final : public Host {
   public:
    SimulatedHost(SimulatedWorld& world, const HostOptions& options, std::uint8_t number)
        : network_(world.network),
          name_(format("host{}", number)),
          crypto_(make_simulated_crypto(number)),
          process_(world.network.add(name_)) {
      const auto settings = session_options(options, *crypto_, number);
      uuid = settings.uuid;
      admission_ = std::make_unique<ClusterAdmission>(*crypto_, settings.admission_key, options.admits);
      if (options.wrap) wrapped_ = options.wrap(process_.carrier());
      auto& carrier = wrapped_ ? *wrapped_ : process_.carrier();
      session_ = std::move(make_session(settings, {carrier, process_.tasks(), *crypto_,
                                                   log, *admission_, events, options.handover}))
                     .value();
      address = session_->listen(name_ + ":1").value();
    }
    void on_loop(std::function<void()> work) override { work(); }
    void freeze() override { network_.freeze(name_); }
    void thaw() override { network_.thaw(name_); }
    void kill() override { network_.kill(name_); }
    Session& session() override { return *session_; }

   private:
    SimulatedNetwork& network_;
    std::string name_;
    std::unique_ptr<Crypto> crypto_;
    SimulatedProcess& process_;
    std::unique_ptr<Carrier> wrapped_;
    std::unique_ptr<ClusterAdmission> admission_;
    std::unique_ptr<Session> session_;
  };
  std::vector<std::unique_ptr<SimulatedHost>> hosts_;
};

}  // namespace frenzy::transport::test
