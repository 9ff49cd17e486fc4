#pragma once
// Virtual time: a clock and an event queue in one thread. Events at one instant run in the order in
// which they were added, so a run is a function of its inputs.

#include <map>
#include <utility>

#include "frenzy/base/tasks.hpp"

namespace frenzy {

/// Thread: one, the one that calls run.
class VirtualTasks final : public Tasks {
 public:
  VirtualTasks();
  ~VirtualTasks() override;
  VirtualTasks(const VirtualTasks&) = delete;
  VirtualTasks& operator=(const VirtualTasks&) = delete;
  VirtualTasks(VirtualTasks&&) = delete;
  VirtualTasks& operator=(VirtualTasks&&) = delete;

  void post(Task task) override;
  void post_blocking(Task work, Task done) override;
  TimerId at(TimePoint when, Task task) override;
  void cancel(TimerId timer) override;
  [[nodiscard]] const Clock& clock() const override { return clock_; }

  /// Runs the next event; false when there is none.
  bool run_one();
  /// Runs every event that is due up to `until`, then sets the clock to it.
  void run_until(TimePoint until);
  void run_for(std::chrono::nanoseconds time) { run_until(clock_.time + time); }
  /// Events run so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] bool idle() const { return queue_.empty(); }

 private:
  class ManualClock final : public Clock {
   public:
    [[nodiscard]] TimePoint now() const override { return time; }
    [[nodiscard]] WallTime wall() const override { return WallTime(time.time_since_epoch()); }
    TimePoint time;
  };
  using Key = std::pair<TimePoint, std::uint64_t>;

  ManualClock clock_;
  std::map<Key, Task> queue_;
  std::map<std::uint64_t, TimePoint> timers_;
  std::uint64_t next_ = 1;
  std::uint64_t events_ = 0;
};

}  // namespace frenzy
