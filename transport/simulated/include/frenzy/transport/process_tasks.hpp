#pragma once
// The Tasks of one simulated process, over the shared virtual time: they can be frozen (what falls
// due waits) and killed (what falls due is dropped). Thread: the one that runs the VirtualTasks.

#include <map>
#include <memory>
#include <vector>

#include "frenzy/base/tasks.hpp"

namespace frenzy::transport {

class ProcessTasks final : public Tasks {
 public:
  explicit ProcessTasks(Tasks& world);
  ~ProcessTasks() override;
  ProcessTasks(const ProcessTasks&) = delete;
  ProcessTasks& operator=(const ProcessTasks&) = delete;
  ProcessTasks(ProcessTasks&&) = delete;
  ProcessTasks& operator=(ProcessTasks&&) = delete;

  void post(Task task) override;
  void post_blocking(Task work, Task done) override;
  TimerId at(TimePoint when, Task task) override;
  void cancel(TimerId timer) override;
  [[nodiscard]] const Clock& clock() const override { return world_.clock(); }

  void freeze();
  void thaw();
  void kill();
  [[nodiscard]] bool frozen() const { return state_->frozen; }
  [[nodiscard]] bool killed() const { return state_->killed; }

 private:
  struct Waiting {
    TimerId timer = TimerId::none;
    Task task;
  };
  struct State {
    bool frozen = false, killed = false;
    std::uint64_t next = 1;
    std::map<std::uint64_t, Waiting> waiting;
    std::vector<std::uint64_t> held;
    void fire(std::uint64_t id);
  };
  Tasks& world_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace frenzy::transport
