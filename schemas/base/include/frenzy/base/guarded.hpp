#pragma once
// Guarded<T>: a value that cannot be reached without its lock (after kj's MutexGuarded). The only
// way in which threads of this project share state.

#include <condition_variable>
#include <mutex>
#include <utility>

#if defined(__clang__)
#define FRENZY_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FRENZY_THREAD_ANNOTATION(x)
#endif

namespace frenzy {

template <class T>
class Guarded {
 public:
  template <class... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  Guarded(Guarded&&) = delete;
  Guarded& operator=(Guarded&&) = delete;
  ~Guarded() = default;

  class Locked {
   public:
    T& operator*() const { return *value_; }
    T* operator->() const { return value_; }
    /// Waits on `condition` with the lock released, until `ready(value)`.
    template <class Ready>
    void wait(std::condition_variable& condition, Ready ready) {
      condition.wait(lock_, [&] { return ready(*value_); });
    }
    /// One wait, which may end for no reason: ask again.
    void wait(std::condition_variable& condition) { condition.wait(lock_); }
    template <class Time>
    void wait_until(std::condition_variable& condition, Time time) {
      condition.wait_until(lock_, time);
    }

   private:
    friend class Guarded;
    Locked(std::mutex& mutex, T* value) : lock_(mutex), value_(value) {}
    std::unique_lock<std::mutex> lock_;
    T* value_;
  };

  /// Blocks until the lock is had; it is held as long as the result lives.
  [[nodiscard]] Locked lock() { return Locked(mutex_, &value_); }

 private:
  std::mutex mutex_;
  T value_;
};

}  // namespace frenzy
