#pragma once
// ThreadTasks: one thread that runs posted tasks and timers in order. A program's stream is one of
// these. Blocking work runs on the thread itself: its owner chose that it may block.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <thread>

#include "frenzy/base/guarded.hpp"
#include "frenzy/base/tasks.hpp"

namespace frenzy {

/// Thread: post, at and cancel from any. The destructor waits for the running task and drops the rest.
class ThreadTasks final : public Tasks {
 public:
  explicit ThreadTasks(const Clock& clock);
  ~ThreadTasks() override;
  ThreadTasks(const ThreadTasks&) = delete;
  ThreadTasks& operator=(const ThreadTasks&) = delete;
  ThreadTasks(ThreadTasks&&) = delete;
  ThreadTasks& operator=(ThreadTasks&&) = delete;

  /// Ends the thread once the running task is over; what is queued, or posted later, never runs.
  /// Thread: the owner's.
  void stop();

  void post(Task task) override;
  void post_blocking(Task work, Task done) override;
  TimerId at(TimePoint when, Task task) override;
  void cancel(TimerId timer) override;
  [[nodiscard]] const Clock& clock() const override { return clock_; }

 private:
  using Key = std::pair<TimePoint, std::uint64_t>;
  struct State {
    std::deque<Task> queue;
    std::map<Key, Task> timers;
    std::map<std::uint64_t, TimePoint> when;
    std::uint64_t next = 1;
    bool stop = false;
  };
  void run();
  /// The next task that is due; an empty one means stop.
  Task wait();

  const Clock& clock_;
  Guarded<State> state_;
  std::condition_variable wake_;
  std::thread thread_;
};

/// CPU time that the calling thread has used.
[[nodiscard]] std::chrono::nanoseconds thread_cpu_time();

}  // namespace frenzy
