#pragma once
// What every actor is given: the loop that owns time and sockets, and the log. One source of time for
// all actors: the session's loop in production, virtual time in simulation. CAF's own clock is unused.

#include <functional>

#include "frenzy/base/log.hpp"
#include "frenzy/base/tasks.hpp"

namespace frenzy::actors {

/// Both outlive the actors. Thread: any.
struct Environment {
  Tasks* tasks = nullptr;
  Log* log = nullptr;

  [[nodiscard]] TimePoint now() const { return tasks->clock().now(); }
  [[nodiscard]] WallTime wall() const { return tasks->clock().wall(); }
  /// Runs `task` on the loop after `delay`.
  void after(std::chrono::nanoseconds delay, Task task) const {
    tasks->post([loop = tasks, delay, run = std::move(task)]() mutable {
      loop->at(loop->clock().now() + delay, std::move(run));
    });
  }
};

}  // namespace frenzy::actors
