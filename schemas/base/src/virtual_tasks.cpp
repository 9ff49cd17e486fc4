#include "frenzy/base/virtual_tasks.hpp"

#include <algorithm>

namespace frenzy {

// Starts at one hour: zero means "never" to some users of a clock.
VirtualTasks::VirtualTasks() { clock_.time = TimePoint(std::chrono::hours{1}); }
VirtualTasks::~VirtualTasks() = default;

void VirtualTasks::post(Task task) { at(clock_.time, std::move(task)); }

void VirtualTasks::post_blocking(Task work, Task done) {
  post([work = std::move(work), done = std::move(done)] {
    work();
    done();
  });
}

TimerId VirtualTasks::at(TimePoint when, Task task) {
  when = std::max(when, clock_.time);
  const auto id = next_++;
  queue_.emplace(Key{when, id}, std::move(task));
  timers_.emplace(id, when);
  return static_cast<TimerId>(id);
}

void VirtualTasks::cancel(TimerId timer) {
  const auto found = timers_.find(static_cast<std::uint64_t>(timer));
  if (found == timers_.end()) return;
  queue_.erase(Key{found->second, found->first});
  timers_.erase(found);
}

bool VirtualTasks::run_one() {
  if (queue_.empty()) return false;
  auto event = queue_.extract(queue_.begin());
  timers_.erase(event.key().second);
  clock_.time = event.key().first;
  ++events_;
  event.mapped()();
  return true;
}

void VirtualTasks::run_until(TimePoint until) {
  while (!queue_.empty() && queue_.begin()->first.first <= until) run_one();
  clock_.time = std::max(clock_.time, until);
}

}  // namespace frenzy
