#pragma once
// At most two threads for work that may block. Started on first use. Thread: any.

#include <condition_variable>
#include <deque>
#include <thread>
#include <vector>

#include "frenzy/base/guarded.hpp"
#include "frenzy/base/tasks.hpp"

namespace frenzy::transport {

class BlockingPool {
 public:
  static constexpr std::size_t kThreads = 2;

  BlockingPool() = default;
  /// Finishes what runs, drops what waits.
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;
  BlockingPool(BlockingPool&&) = delete;
  BlockingPool& operator=(BlockingPool&&) = delete;
  void run(Task work);

 private:
  struct State {
    std::deque<Task> waiting;
    std::vector<std::thread> threads;
    std::size_t idle = 0;
    bool stopping = false;
  };
  void serve();
  Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace frenzy::transport
