#include "frenzy/base/thread_tasks.hpp"

#include <ctime>

namespace frenzy {

ThreadTasks::ThreadTasks(const Clock& clock) : clock_(clock), thread_([this] { run(); }) {}

ThreadTasks::~ThreadTasks() { stop(); }

void ThreadTasks::stop() {
  state_.lock()->stop = true;
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ThreadTasks::post(Task task) {
  state_.lock()->queue.push_back(std::move(task));
  wake_.notify_one();
}

void ThreadTasks::post_blocking(Task work, Task done) {
  post([work = std::move(work), done = std::move(done)] {
    work();
    done();
  });
}

TimerId ThreadTasks::at(TimePoint when, Task task) {
  std::uint64_t id = 0;
  {
    auto state = state_.lock();
    id = state->next++;
    state->timers.emplace(Key{when, id}, std::move(task));
    state->when.emplace(id, when);
  }
  wake_.notify_one();
  return static_cast<TimerId>(id);
}

void ThreadTasks::cancel(TimerId timer) {
  auto state = state_.lock();
  const auto found = state->when.find(static_cast<std::uint64_t>(timer));
  if (found == state->when.end()) return;
  state->timers.erase(Key{found->second, found->first});
  state->when.erase(found);
}

Task ThreadTasks::wait() {
  auto state = state_.lock();
  while (!state->stop) {
    const auto due = !state->timers.empty() && state->timers.begin()->first.first <= clock_.now();
    if (due) {
      auto timer = state->timers.extract(state->timers.begin());
      state->when.erase(timer.key().second);
      return std::move(timer.mapped());
    }
    if (!state->queue.empty()) {
      auto task = std::move(state->queue.front());
      state->queue.pop_front();
      return task;
    }
    if (state->timers.empty()) {
      state.wait(wake_);
    } else {
      state.wait_until(wake_, state->timers.begin()->first.first);
    }
  }
  return {};
}

void ThreadTasks::run() {
  for (auto task = wait(); task; task = wait()) task();
}

std::chrono::nanoseconds thread_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace frenzy
