#include "thread_pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <ctime>

namespace frenzy::executor::cpu {

ThreadPool::ThreadPool(std::uint32_t threads) : threads_(std::max<std::uint32_t>(threads, 1)) {
  for (std::uint32_t worker = 1; worker < threads_; ++worker) {
    helpers_.emplace_back([this, worker] { help(worker); });
  }
}

ThreadPool::~ThreadPool() {
  state_.lock()->stop = true;
  started_.notify_all();
  for (auto& helper : helpers_) helper.join();
}

void ThreadPool::run_shared(Task task) {
  {
    const auto state = state_.lock();
    next_.store(0, std::memory_order_relaxed);
    state->task = task;
    ++state->round;
    state->working = threads_ - 1;
  }
  started_.notify_all();
  take_blocks(task, 0);
  auto state = state_.lock();
  state.wait(finished_, [](const State& s) { return s.working == 0; });
}

void ThreadPool::take_blocks(const Task& task, std::uint32_t worker) {
  for (;;) {
    const auto block = next_.fetch_add(1, std::memory_order_relaxed);
    if (block >= task.blocks) return;
    task.call(task.context, block, worker);
  }
}

void ThreadPool::help(std::uint32_t worker) {
  std::uint64_t seen = 0;
  for (;;) {
    Task task;
    {
      auto state = state_.lock();
      state.wait(started_, [&](const State& s) { return s.stop || s.round != seen; });
      if (state->stop) return;
      seen = state->round;
      task = state->task;
    }
    take_blocks(task, worker);
    const auto state = state_.lock();
    if (--state->working == 0) finished_.notify_one();
  }
}

Seconds ThreadPool::helper_cpu_time() const {
  Seconds sum{};
  for (const auto& helper : helpers_) {
    clockid_t clock{};
    timespec time{};
    const auto handle = const_cast<std::thread&>(helper).native_handle();
    if (pthread_getcpuclockid(handle, &clock) != 0 || clock_gettime(clock, &time) != 0) continue;
    sum += std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  return sum;
}

}  // namespace frenzy::executor::cpu
