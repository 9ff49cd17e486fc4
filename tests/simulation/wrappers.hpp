#pragma once
// Wrappers that pass everything on: a planted defect changes one call of one of them.

#include "frenzy/executor/device_runtime.hpp"
#include "frenzy/runner_host/runner_host.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::simulation {

class SessionWrapper : public transport::Session {
 public:
  explicit SessionWrapper(std::unique_ptr<transport::Session> inner) : inner_(std::move(inner)) {}
  Result<std::string> listen(const std::string& address) override { return inner_->listen(address); }
  void connect(const std::string& address, std::function<void(Result<transport::PeerId>)> done) override {
    inner_->connect(address, std::move(done));
  }
  void connect(const std::string& address, const Uuid& target, std::function<void(Result<transport::PeerId>)> done) override {
    inner_->connect(address, target, std::move(done));
  }
  void send(transport::PeerId peer, std::vector<std::byte> message, transport::Done done) override {
    inner_->send(peer, std::move(message), std::move(done));
  }
  void post_receive(transport::PeerId peer, transport::BodyTag tag, std::span<std::byte> into, transport::Done done) override {
    inner_->post_receive(peer, tag, into, std::move(done));
  }
  void send_body(transport::PeerId peer, transport::BodyTag tag, std::span<const std::byte> body, transport::Done done) override {
    inner_->send_body(peer, tag, body, std::move(done));
  }
  void close(transport::PeerId peer, const std::string& reason) override { inner_->close(peer, reason); }
  [[nodiscard]] transport::PeerStats stats(transport::PeerId peer) const override { return inner_->stats(peer); }
  [[nodiscard]] Tasks& tasks() override { return inner_->tasks(); }

 private:
  std::unique_ptr<transport::Session> inner_;
};

class HostWrapper : public runner_host::RunnerHost {
 public:
  explicit HostWrapper(std::unique_ptr<runner_host::RunnerHost> inner) : inner_(std::move(inner)) {}
  void start(const codec::LaunchRunner& task, runner_host::RunnerSink sink) override { inner_->start(task, std::move(sink)); }
  void send(const runner_host::RunnerKey& runner, const codec::Message& message) override { inner_->send(runner, message); }
  void kill(const runner_host::RunnerKey& runner) override { inner_->kill(runner); }
  void calibrate(const std::vector<model::DeviceSpec>& devices,
                 std::function<void(Result<codec::CalibrationReport>)> done) override {
    inner_->calibrate(devices, std::move(done));
  }

 private:
  std::unique_ptr<runner_host::RunnerHost> inner_;
};

class ExchangeWrapper : public executor::Exchange {
 public:
  explicit ExchangeWrapper(executor::Exchange& inner) : inner_(inner) {}
  void send(Rank to, executor::ExchangeTag tag, executor::ConstBytes bytes, executor::ExchangeDone done) override {
    inner_.send(to, tag, bytes, std::move(done));
  }
  void receive(Rank from, executor::ExchangeTag tag, executor::MutableBytes into, executor::ExchangeDone done) override {
    inner_.receive(from, tag, into, std::move(done));
  }
  void borrow(Rank from, executor::ExchangeTag tag, std::uint64_t bytes, executor::Loan loan) override {
    inner_.borrow(from, tag, bytes, std::move(loan));
  }
  [[nodiscard]] Rank home(Rank rank) const override { return inner_.home(rank); }

 private:
  executor::Exchange& inner_;
};

class RuntimeWrapper : public executor::DeviceRuntime {
 public:
  explicit RuntimeWrapper(std::unique_ptr<executor::DeviceRuntime> inner) : inner_(std::move(inner)) {}
  void start(InstructionIndex index, const executor::StepContext& context, executor::InstructionDone done) override {
    inner_->start(index, context, std::move(done));
  }
  [[nodiscard]] const executor::StepMeasure& measure() const override { return inner_->measure(); }
  [[nodiscard]] executor::Occupancy occupancy() const override { return inner_->occupancy(); }

 private:
  std::unique_ptr<executor::DeviceRuntime> inner_;
};

}  // namespace frenzy::simulation
