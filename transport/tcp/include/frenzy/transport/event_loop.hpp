#pragma once
// EventLoop: the one progress thread of a process. Tasks, timers and file descriptors on one epoll,
// woken from other threads by an eventfd. Idle, it sleeps and costs nothing.
//
// A poster writes the eventfd only when the queue was empty, under the queue's lock, so no wake-up
// is lost. Blocking work goes to at most two threads, started when first needed.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "frenzy/base/guarded.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/tasks.hpp"
#include "frenzy/transport/unique_fd.hpp"

namespace frenzy::transport {

class BlockingPool;

/// Something that must be polled until it has nothing to do before the loop may sleep (UCX).
/// Thread: the loop's.
class Progress {
 public:
  virtual ~Progress() = default;
  /// True if anything was done.
  virtual bool progress() = 0;
  /// Asks for a wake-up through `descriptor`; false if there is work after all.
  virtual bool arm() = 0;
  /// A large transfer is under way: more comes within microseconds, and a wake-up for each of its many
  /// steps would cost more than the step.
  [[nodiscard]] virtual bool expects_more() const = 0;
  [[nodiscard]] virtual int descriptor() const = 0;
};

class EventLoop final : public Tasks {
 public:
  using Ready = std::function<void(std::uint32_t events)>;

  /// Errors: io, exhausted (descriptors).
  [[nodiscard]] static Result<std::unique_ptr<EventLoop>> create(const Clock& clock);
  /// The loop is not running any more. Tasks still queued are dropped; blocking work is waited for.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  EventLoop(EventLoop&&) = delete;
  EventLoop& operator=(EventLoop&&) = delete;

  /// Runs until stop(). Thread: the progress thread.
  void run();
  /// Thread: any. run() returns after the tasks that are already queued.
  void stop();

  void post(Task task) override;
  void post_blocking(Task work, Task done) override;
  TimerId at(TimePoint when, Task task) override;
  void cancel(TimerId timer) override;
  [[nodiscard]] const Clock& clock() const override { return clock_; }

  /// Calls `ready` with EPOLL* bits. Thread: the loop's, for these five.
  [[nodiscard]] Status watch(int fd, std::uint32_t events, Ready ready);
  void change(int fd, std::uint32_t events);
  void unwatch(int fd);
  [[nodiscard]] Status add(Progress& progress);
  void remove(Progress& progress);

 private:
  struct Watched {
    std::shared_ptr<const Ready> ready;  ///< shared: a callback may unwatch itself
    std::uint64_t generation = 0;  ///< tells a closed descriptor's late event from its successor's
  };
  EventLoop(const Clock& clock, UniqueFd epoll, UniqueFd wake);
  bool run_posted();
  bool run_timers();
  bool run_progress();
  [[nodiscard]] bool expects_more() const;
  [[nodiscard]] bool may_sleep();
  void poll_descriptors(int timeout_ms);
  [[nodiscard]] int timeout_ms() const;

  const Clock& clock_;
  UniqueFd epoll_, wake_;
  Guarded<std::vector<Task>> queue_;
  std::vector<Task> running_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> thread_{};  ///< the one inside run()
  std::map<std::pair<TimePoint, std::uint64_t>, Task> timers_;
  std::map<std::uint64_t, TimePoint> timer_times_;
  std::uint64_t next_timer_ = 1, next_generation_ = 1;
  std::map<int, Watched> watched_;
  std::vector<Progress*> progress_;
  std::unique_ptr<BlockingPool> pool_;
};

/// Runs a loop on a thread of its own; joins it at the end.
class LoopThread {
 public:
  explicit LoopThread(EventLoop& loop) : loop_(loop), thread_([&loop] { loop.run(); }) {}
  ~LoopThread() { stop(); }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  LoopThread(LoopThread&&) = delete;
  LoopThread& operator=(LoopThread&&) = delete;
  void stop() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  EventLoop& loop_;
  std::thread thread_;
};

}  // namespace frenzy::transport
