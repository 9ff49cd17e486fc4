#include "frenzy/base/thread_tasks.hpp"

#include <catch2/catch.hpp>
#include <future>
#include <vector>

#include "frenzy/base/virtual_tasks.hpp"

using namespace frenzy;
using namespace std::chrono_literals;

TEST_CASE("a thread runs posted tasks in order and timers when they are due", "[base]") {
  const SystemClock clock;
  std::vector<int> order;
  std::promise<void> done;
  {
    ThreadTasks tasks(clock);
    const auto begin = clock.now();
    tasks.at(begin + 30ms, [&] {
      order.push_back(3);
      done.set_value();
    });
    const auto dropped = tasks.at(begin + 10ms, [&] { order.push_back(99); });
    tasks.cancel(dropped);
    tasks.post([&] { order.push_back(1); });
    tasks.post_blocking([&] { order.push_back(2); }, [] {});
    done.get_future().wait();
    CHECK(clock.now() - begin >= 30ms);
  }
  CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("virtual time runs events in order of time, then of arrival", "[base]") {
  VirtualTasks tasks;
  std::vector<int> order;
  const auto now = tasks.clock().now();
  tasks.at(now + 2s, [&] { order.push_back(4); });
  tasks.at(now + 1s, [&] {
    order.push_back(2);
    tasks.post([&] { order.push_back(3); });
  });
  tasks.post([&] { order.push_back(1); });
  const auto cancelled = tasks.at(now + 1s, [&] { order.push_back(99); });
  tasks.cancel(cancelled);
  tasks.run_for(1s);
  CHECK(order == std::vector<int>{1, 2, 3});
  tasks.run_for(5s);
  CHECK(order == std::vector<int>{1, 2, 3, 4});
  CHECK(tasks.idle());
  CHECK(tasks.clock().now() == now + 6s);
}
