#pragma once
// Tasks: where work is put that must not run right here. One implementation per event loop
// (transport progress thread, virtual time); everything callback-style is written against it.

#include <cstdint>
#include <functional>

#include "frenzy/base/clock.hpp"

namespace frenzy {

using Task = std::function<void()>;
enum class TimerId : std::uint64_t { none = 0 };

/// Thread: post and post_blocking from any; at and cancel from the loop's own thread only.
class Tasks {
 public:
  virtual ~Tasks() = default;
  /// Runs `task` on the loop, after what is already queued. Never runs it inline.
  virtual void post(Task task) = 0;
  /// Runs `work` where blocking is allowed, then `done` on the loop. Inline (but later) in simulation.
  virtual void post_blocking(Task work, Task done) = 0;
  /// Runs `task` on the loop at `when` or as soon after as it can.
  virtual TimerId at(TimePoint when, Task task) = 0;
  /// A timer that ran, or `none`, is ignored.
  virtual void cancel(TimerId timer) = 0;
  [[nodiscard]] virtual const Clock& clock() const = 0;
};

}  // namespace frenzy
