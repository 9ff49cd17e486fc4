#pragma once
// Hosts on real carriers: each has its own loop and progress thread in this process.
#include <condition_variable>
#include <future>
#include <thread>

#include "frenzy/crypto/crypto.hpp"
#include "frenzy/transport/event_loop.hpp"
#include "world.hpp"

namespace frenzy::transport::test {

using CarrierFactory = std::function<std::unique_ptr<Carrier>(EventLoop&, Log&)>;

class RealHost final : public Host {
 public:
  RealHost(const CarrierFactory& make_carrier, const std::string& listen, const HostOptions& options,
           std::uint8_t number)
      : loop_(EventLoop::create(clock_).value()),
        crypto_(std::move(crypto::make_crypto()).value()),
        thread_(std::make_unique<LoopThread>(*loop_)) {
    const auto settings = session_options(options, *crypto_, number);
    uuid = settings.uuid;
    admission_ = std::make_unique<ClusterAdmission>(*crypto_, settings.admission_key, options.admits);
    on_loop([&] {
      carrier_ = make_carrier(*loop_, log);
      session_ = make_session(settings, {*carrier_, *loop_, *crypto_, log, *admission_, events,
                                         options.handover})
                     .value();
      address = session_->listen(listen).value();
    });
  }
  ~RealHost() override {
    thaw();
    kill();
    thread_.reset();
  }
  void on_loop(std::function<void()> work) override {
    std::promise<void> done;
    loop_->post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  void freeze() override {
    frozen_ = true;
    loop_->post([this] {
      std::unique_lock lock(mutex_);
      thawed_.wait(lock, [this] { return !frozen_.load(); });
    });
  }
  void thaw() override {
    {
      const std::lock_guard lock(mutex_);
      frozen_ = false;
    }
    thawed_.notify_all();
  }
  void kill() override {
    on_loop([this] {
      session_.reset();
      carrier_.reset();
    });
  }
  Session& session() override { return *session_; }
  Carrier& carrier() { return *carrier_; }
  EventLoop& loop() { return *loop_; }

 private:
  SystemClock clock_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<Crypto> crypto_;
  std::unique_ptr<ClusterAdmission> admission_;
  std::unique_ptr<Carrier> carrier_;
  std::unique_ptr<Session> session_;
  std::mutex mutex_;
  std::condition_variable thawed_;
  std::atomic<bool> frozen_{false};
  std::unique_ptr<LoopThread> thread_;
};

class RealWorld final : public World {
 public:
  RealWorld(CarrierFactory factory, std::string listen)
      : factory_(std::move(factory)), listen_(std::move(listen)) {}

  RealHost& add(const HostOptions& options) override {
    hosts_.push_back(std::make_unique<RealHost>(factory_, listen_, options,
                                                static_cast<std::uint8_t>(hosts_.size() + 1)));
    return *hosts_.back();
  }
  bool wait(const std::function<bool()>& ready, std::chrono::milliseconds limit) override {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!ready()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }

 private:
  CarrierFactory factory_;
  std::string listen_;
  std::vector<std::unique_ptr<RealHost>> hosts_;
};

}  // namespace frenzy::transport::test
