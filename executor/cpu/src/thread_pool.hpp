#pragma once
// Persistent helper threads of one CpuKernels object. Work is a number of blocks with fixed
// boundaries that threads take in order; which thread computes a block never changes its result.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "frenzy/base/guarded.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy::executor::cpu {

/// Thread: `run` by one thread at a time; the caller works too, as worker 0.
class ThreadPool {
 public:
  explicit ThreadPool(std::uint32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  [[nodiscard]] std::uint32_t threads() const { return threads_; }
  /// Calls work(block, worker) once for every block; returns when all are done.
  template <class Work>
  void run(std::size_t blocks, const Work& work) {
    if (threads_ == 1 || blocks <= 1) {
      for (std::size_t block = 0; block < blocks; ++block) work(block, 0U);
      return;
    }
    run_shared({&work, blocks, [](const void* context, std::size_t block, std::uint32_t worker) {
                  (*static_cast<const Work*>(context))(block, worker);
                }});
  }
  [[nodiscard]] Seconds helper_cpu_time() const;

 private:
  struct Task {
    const void* context = nullptr;
    std::size_t blocks = 0;
    void (*call)(const void*, std::size_t, std::uint32_t) = nullptr;
  };
  struct State {
    Task task;
    std::uint64_t round = 0;
    std::uint32_t working = 0;
    bool stop = false;
  };
  void run_shared(Task task);
  void take_blocks(const Task& task, std::uint32_t worker);
  void help(std::uint32_t worker);

  std::uint32_t threads_;
  Guarded<State> state_;
  std::condition_variable started_, finished_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> helpers_;
};

}  // namespace frenzy::executor::cpu
