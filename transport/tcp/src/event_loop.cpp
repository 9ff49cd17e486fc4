#include "frenzy/transport/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "blocking_pool.hpp"

namespace frenzy::transport {

namespace {
constexpr int kWakeSlot = 0;  // epoll data of the eventfd; descriptors carry a generation >= 1
constexpr int kLongestSleepMs = 60'000;
/// While a large transfer is under way the loop neither sleeps until woken, which would cost a wake-up
/// for each of its steps, nor spins, which would keep the sender from a shared core: it naps for as short as
/// timers allow (about 60 us).
constexpr timespec kNap{0, 1000};
/// Turns of a large transfer between two looks at the descriptors, which cost a system call.
constexpr unsigned kTurnsUnpolled = 8;
}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::create(const Clock& clock) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.valid() || !wake.valid()) {
    return error(errno == EMFILE || errno == ENFILE ? Errc::exhausted : Errc::io,
                 "cannot make an event loop: {}", std::strerror(errno));
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeSlot;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) {
    return error(Errc::io, "cannot watch an eventfd: {}", std::strerror(errno));
  }
  return std::unique_ptr<EventLoop>(new EventLoop(clock, std::move(epoll), std::move(wake)));
}

EventLoop::EventLoop(const Clock& clock, UniqueFd epoll, UniqueFd wake)
    : clock_(clock), epoll_(std::move(epoll)), wake_(std::move(wake)),
      pool_(std::make_unique<BlockingPool>()) {}

EventLoop::~EventLoop() { pool_.reset(); }

void EventLoop::run() {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  unsigned turns = 0;
  while (!stopping_.load(std::memory_order_acquire)) {
    bool worked = run_posted();
    worked = run_timers() || worked;
    worked = run_progress() || worked;
    const bool more = expects_more();
    if (more && !worked) ::nanosleep(&kNap, nullptr);
    if (more && ++turns % kTurnsUnpolled != 0) continue;
    poll_descriptors(worked || more || !may_sleep() ? 0 : timeout_ms());
  }
  run_posted();
  thread_.store(std::thread::id(), std::memory_order_relaxed);
}

void EventLoop::stop() {
  stopping_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto wrote = ::write(wake_.get(), &one, sizeof(one));
}

void EventLoop::post(Task task) {
  bool was_empty = false;
  {
    auto queue = queue_.lock();
    was_empty = queue->empty();
    queue->push_back(std::move(task));
  }
  // The loop looks at the queue before it sleeps, so its own thread need not wake it.
  if (!was_empty || thread_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto wrote = ::write(wake_.get(), &one, sizeof(one));
}

void EventLoop::post_blocking(Task work, Task done) {
  pool_->run([this, work = std::move(work), done = std::move(done)]() mutable {
    work();
    post(std::move(done));
  });
}

TimerId EventLoop::at(TimePoint when, Task task) {
  const auto id = next_timer_++;
  timers_.emplace(std::pair(when, id), std::move(task));
  timer_times_.emplace(id, when);
  return static_cast<TimerId>(id);
}

void EventLoop::cancel(TimerId timer) {
  const auto found = timer_times_.find(static_cast<std::uint64_t>(timer));
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, found->first});
  timer_times_.erase(found);
}

bool EventLoop::run_posted() {
  {
    auto queue = queue_.lock();
    running_.swap(*queue);
  }
  const bool worked = !running_.empty();
  for (auto& task : running_) task();
  running_.clear();
  return worked;
}

bool EventLoop::run_timers() {
  bool worked = false;
  const auto now = clock_.now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto due = timers_.extract(timers_.begin());
    timer_times_.erase(due.key().second);
    due.mapped()();
    worked = true;
  }
  return worked;
}

bool EventLoop::run_progress() {
  bool worked = false;
  // By index: progress() may add to the list or take from it. NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t i = 0; i < progress_.size(); ++i) worked = progress_[i]->progress() || worked;
  return worked;
}

bool EventLoop::expects_more() const {
  return std::ranges::any_of(progress_, [](const auto* progress) { return progress->expects_more(); });
}

bool EventLoop::may_sleep() {
  if (!queue_.lock()->empty()) return false;
  for (auto* progress : progress_) {
    if (!progress->arm()) return false;
  }
  return true;
}

int EventLoop::timeout_ms() const {
  if (timers_.empty()) return kLongestSleepMs;
  const auto left = timers_.begin()->first.first - clock_.now();
  // Rounded up, or the loop would spin through the last millisecond.
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<long long>(ms, 0, kLongestSleepMs));
}

void EventLoop::poll_descriptors(int timeout_ms) {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    if (event.data.u64 == kWakeSlot) {
      std::uint64_t drained = 0;
      [[maybe_unused]] const auto got = ::read(wake_.get(), &drained, sizeof(drained));
      continue;
    }
    const auto fd = static_cast<int>(event.data.u64 & 0xffffffffU);
    const auto found = watched_.find(fd);
    if (found == watched_.end() || found->second.generation != event.data.u64 >> 32U) continue;
    const auto ready = found->second.ready;
    if (*ready) (*ready)(event.events);
  }
}

Status EventLoop::watch(int fd, std::uint32_t events, Ready ready) {
  const auto generation = next_generation_++ & 0xffffffffU;
  epoll_event event{};
  event.events = events;
  event.data.u64 = (generation << 32U) | static_cast<std::uint32_t>(fd);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return error(Errc::io, "cannot watch a descriptor: {}", std::strerror(errno));
  }
  watched_[fd] = {std::make_shared<const Ready>(std::move(ready)), generation};
  return {};
}

void EventLoop::change(int fd, std::uint32_t events) {
  const auto found = watched_.find(fd);
  if (found == watched_.end()) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = (found->second.generation << 32U) | static_cast<std::uint32_t>(fd);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::unwatch(int fd) {
  if (watched_.erase(fd) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

Status EventLoop::add(Progress& progress) {
  const auto watched = watch(progress.descriptor(), EPOLLIN, nullptr);
  if (!watched) return watched;
  progress_.push_back(&progress);
  return {};
}

void EventLoop::remove(Progress& progress) {
  std::erase(progress_, &progress);
  unwatch(progress.descriptor());
}

}  // namespace frenzy::transport
