#include "frenzy/transport/process_tasks.hpp"

#include <utility>

namespace frenzy::transport {

ProcessTasks::ProcessTasks(Tasks& world) : world_(world) {}

ProcessTasks::~ProcessTasks() { kill(); }

void ProcessTasks::State::fire(std::uint64_t id) {
  if (killed) return;
  if (frozen) {
    held.push_back(id);
    return;
  }
  auto node = waiting.extract(id);
  if (!node.empty()) node.mapped().task();
}

void ProcessTasks::post(Task task) { at(world_.clock().now(), std::move(task)); }

void ProcessTasks::post_blocking(Task work, Task done) {
  post([work = std::move(work), done = std::move(done)] {
    work();
    done();
  });
}

TimerId ProcessTasks::at(TimePoint when, Task task) {
  if (state_->killed) return TimerId::none;
  const auto id = state_->next++;
  auto& entry = state_->waiting[id];
  entry.task = std::move(task);
  entry.timer = world_.at(when, [state = state_, id] { state->fire(id); });
  return static_cast<TimerId>(id);
}

void ProcessTasks::cancel(TimerId timer) {
  auto node = state_->waiting.extract(static_cast<std::uint64_t>(timer));
  if (!node.empty()) world_.cancel(node.mapped().timer);
}

void ProcessTasks::freeze() { state_->frozen = true; }

void ProcessTasks::thaw() {
  state_->frozen = false;
  for (const auto id : std::exchange(state_->held, {})) {
    world_.post([state = state_, id] { state->fire(id); });
  }
}

void ProcessTasks::kill() {
  state_->killed = true;
  for (auto& [id, entry] : state_->waiting) world_.cancel(entry.timer);
  state_->waiting.clear();
}

}  // namespace frenzy::transport
