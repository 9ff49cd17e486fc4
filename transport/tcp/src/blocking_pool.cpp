#include "blocking_pool.hpp"

namespace frenzy::transport {

BlockingPool::~BlockingPool() {
  std::vector<std::thread> threads;
  {
    auto state = state_.lock();
    state->stopping = true;
    state->waiting.clear();
    threads.swap(state->threads);
  }
  changed_.notify_all();
  for (auto& thread : threads) thread.join();
}

void BlockingPool::run(Task work) {
  {
    auto state = state_.lock();
    state->waiting.push_back(std::move(work));
    if (state->idle < state->waiting.size() && state->threads.size() < kThreads) {
      state->threads.emplace_back([this] { serve(); });
    }
  }
  changed_.notify_one();
}

void BlockingPool::serve() {
  while (true) {
    Task work;
    {
      auto state = state_.lock();
      ++state->idle;
      state.wait(changed_, [](const State& s) { return s.stopping || !s.waiting.empty(); });
      --state->idle;
      if (state->stopping) return;
      work = std::move(state->waiting.front());
      state->waiting.pop_front();
    }
    work();
  }
}

}  // namespace frenzy::transport
