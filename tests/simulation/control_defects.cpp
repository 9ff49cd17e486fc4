#include "control_defects.hpp"

#include <map>
#include <set>

#include "wrappers.hpp"

namespace frenzy::simulation {
namespace {

using runner_host::RunnerKey;
using runner_host::RunnerSink;

class LostAbort final : public Defect {
  class Wrapped final : public SessionWrapper {
   public:
    using SessionWrapper::SessionWrapper;
    void send(transport::PeerId peer, std::vector<std::byte> message, transport::Done done) override {
      const auto frame = codec::decode(message);
      const auto* abort = frame ? std::get_if<codec::AbortJob>(&frame->message) : nullptr;
      if (abort != nullptr && abort->reason.find("is gone at step") != std::string::npos) {
        return tasks().post([done = std::move(done)] { done({}); });
      }
      SessionWrapper::send(peer, std::move(message), std::move(done));
    }
  };

 public:
  std::unique_ptr<transport::Session> wrap_session(std::unique_ptr<transport::Session> session, transport::Role role) override {
    if (role != transport::Role::coordinator) return session;
    return std::make_unique<Wrapped>(std::move(session));
  }
};

class ForgottenRelease final : public Defect {
  class Wrapped final : public HostWrapper {
   public:
    using HostWrapper::HostWrapper;
    void start(const codec::LaunchRunner& task, RunnerSink sink) override {
      const RunnerKey key{task.assign.job, task.assign.epoch};
      HostWrapper::start(task, [this, key, sink = std::move(sink)](codec::Message said) {
        if (std::holds_alternative<codec::RunnerReady>(said)) ready_.insert(key);
        if (std::holds_alternative<codec::RunnerEnded>(said) && killed_.contains(key) && !ready_.contains(key)) return;
        sink(std::move(said));
      });
    }
    void kill(const RunnerKey& runner) override {
      killed_.insert(runner);
      HostWrapper::kill(runner);
    }

   private:
    std::set<RunnerKey> ready_, killed_;
  };

 public:
  std::unique_ptr<runner_host::RunnerHost> wrap_host(std::unique_ptr<runner_host::RunnerHost> host, Tasks&) override {
    return std::make_unique<Wrapped>(std::move(host));
  }
};

class EarlyRelease final : public Defect {
  static constexpr std::chrono::milliseconds kLate{60};

  class Wrapped final : public HostWrapper {
   public:
    Wrapped(std::unique_ptr<runner_host::RunnerHost> inner, Tasks& tasks) : HostWrapper(std::move(inner)), tasks_(tasks) {}
    void start(const codec::LaunchRunner& task, RunnerSink sink) override {
      const RunnerKey key{task.assign.job, task.assign.epoch};
      sinks_[key] = sink;
      HostWrapper::start(task, [this, key](codec::Message said) {
        const auto found = sinks_.find(key);
        if (found == sinks_.end()) return;
        const auto tell = found->second;
        if (std::holds_alternative<codec::RunnerEnded>(said)) sinks_.erase(found);
        tell(std::move(said));
      });
    }
    void kill(const RunnerKey& runner) override {
      tasks_.at(tasks_.clock().now() + kLate, [this, runner] { HostWrapper::kill(runner); });
      const auto found = sinks_.extract(runner);
      if (found.empty()) return;
      tasks_.post([sink = found.mapped(), runner] {
        sink(codec::RunnerEnded{.job = runner.job, .epoch = runner.epoch, .failed = true, .why = error(Errc::cancelled, "killed by its node")});
      });
    }

   private:
    Tasks& tasks_;
    std::map<RunnerKey, RunnerSink> sinks_;
  };

 public:
  std::unique_ptr<runner_host::RunnerHost> wrap_host(std::unique_ptr<runner_host::RunnerHost> host, Tasks& tasks) override {
    return std::make_unique<Wrapped>(std::move(host), tasks);
  }
};

class MixedSave final : public Defect {
  class Wrapped final : public HostWrapper {
   public:
    using HostWrapper::HostWrapper;
    void start(const codec::LaunchRunner& task, RunnerSink sink) override {
      const RunnerKey key{task.assign.job, task.assign.epoch};
      HostWrapper::start(task, [this, key, sink = std::move(sink)](codec::Message said) {
        if (const auto* held = std::get_if<codec::Held>(&said)) held_[key] = held->step;
        auto* saved = std::get_if<codec::StateSaved>(&said);
        const auto asked = asked_.find(key);
        if (saved == nullptr || asked == asked_.end()) return sink(std::move(said));
        if (saved->step != held_.at(key)) return;  // it has told a save of that name
        saved->step = asked->second;
        sink(*saved);
        HostWrapper::send(key, codec::SaveState{key.job, key.epoch, asked->second});
      });
    }
    void send(const RunnerKey& runner, const codec::Message& message) override {
      const auto* save = std::get_if<codec::SaveState>(&message);
      const auto held = held_.find(runner);
      const bool behind = save != nullptr && held != held_.end() && held->second.value > 0 && held->second < save->step;
      if (!behind) return HostWrapper::send(runner, message);
      asked_[runner] = save->step;
      HostWrapper::send(runner, codec::SaveState{runner.job, runner.epoch, held->second});
    }

   private:
    std::map<RunnerKey, Step> held_, asked_;
  };

 public:
  std::unique_ptr<runner_host::RunnerHost> wrap_host(std::unique_ptr<runner_host::RunnerHost> host, Tasks&) override {
    return std::make_unique<Wrapped>(std::move(host));
  }
};

}  // namespace

std::unique_ptr<Defect> lost_abort() { return std::make_unique<LostAbort>(); }
std::unique_ptr<Defect> forgotten_release() { return std::make_unique<ForgottenRelease>(); }
std::unique_ptr<Defect> early_release() { return std::make_unique<EarlyRelease>(); }
std::unique_ptr<Defect> mixed_save() { return std::make_unique<MixedSave>(); }

}  // namespace frenzy::simulation
