#include "frenzy/executor/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "frenzy/base/tasks.hpp"

namespace frenzy::executor {
namespace {

/// Counts open transfers; when the last one is done, `then` runs on the stream with the first error.
class Gathering : public std::enable_shared_from_this<Gathering> {
 public:
  Gathering(Tasks& tasks, ExchangeDone then) : tasks_(tasks), then_(std::move(then)) {
    state_.lock()->open = 1;  // held by the caller until it has started all transfers
  }
  [[nodiscard]] ExchangeDone expect() {
    ++state_.lock()->open;
    return [self = shared_from_this()](Status status) { self->finish(std::move(status)); };
  }
  void finish(Status status) {
    Status first;
    {
      auto state = state_.lock();
      if (!status && state->first) state->first = std::move(status);
      if (--state->open > 0) return;
      first = state->first;
    }
    tasks_.post([self = shared_from_this(), first = std::move(first)] { self->then_(first); });
  }

 private:
  struct State {
    std::size_t open = 0;
    Status first;
  };
  Tasks& tasks_;
  ExchangeDone then_;
  Guarded<State> state_;
};

MutableBytes part(MutableBytes data, model::ElementRange range, std::uint64_t width) {
  return data.subspan(range.begin * width, range.size() * width);
}

/// Sums copies in rank order into `own`. copies[r] is rank r's contribution; copies[me] is own.
void sum_in_order(Kernels& kernels, std::span<const MutableBytes> copies, std::size_t me) {
  const auto own = copies[me];
  auto total = copies[0];
  for (std::size_t r = 1; r < copies.size(); ++r) kernels.add(total, copies[r]);
  if (me != 0) std::memcpy(own.data(), total.data(), own.size());
}

}  // namespace

void reduce_scatter(const CollectiveCall& call, MutableBytes inbox, ExchangeDone done) {
  const auto me = call.rank.value;
  const auto own = part(call.data, call.ranges[me], call.element_bytes);
  std::vector<MutableBytes> copies;
  for (std::size_t r = 0, slot = 0; r < call.ranges.size(); ++r) {
    copies.push_back(r == me ? own : inbox.subspan(own.size() * slot++, own.size()));
  }
  auto finish = [kernels = call.kernels, copies, me, done = std::move(done)](const Status& status) {
    if (status && !copies[me].empty()) sum_in_order(*kernels, copies, me);
    done(status);
  };
  const auto gathering = std::make_shared<Gathering>(*call.tasks, std::move(finish));
  for (std::uint32_t r = 0; r < call.ranges.size(); ++r) {
    if (r == me) continue;
    if (!own.empty()) call.exchange->receive({r}, call.tag, copies[r], gathering->expect());
    const auto theirs = part(call.data, call.ranges[r], call.element_bytes);
    if (!theirs.empty()) call.exchange->send({r}, call.tag, theirs, gathering->expect());
  }
  gathering->finish({});
}

void all_gather(const CollectiveCall& call, ExchangeDone done) {
  const auto me = call.rank.value;
  const auto own = part(call.data, call.ranges[me], call.element_bytes);
  const auto gathering = std::make_shared<Gathering>(*call.tasks, std::move(done));
  for (std::uint32_t r = 0; r < call.ranges.size(); ++r) {
    if (r == me) continue;
    const auto theirs = part(call.data, call.ranges[r], call.element_bytes);
    if (!theirs.empty()) call.exchange->receive({r}, call.tag, theirs, gathering->expect());
    if (!own.empty()) call.exchange->send({r}, call.tag, own, gathering->expect());
  }
  gathering->finish({});
}

void all_reduce_scalars(const ScalarCall& call, ExchangeDone done) {
  const auto count = call.values.size();
  const auto slot = [&](std::uint32_t r) { return call.inbox.subspan(r * count, count); };
  std::ranges::copy(call.values, slot(call.rank.value).begin());
  auto finish = [call, count, done = std::move(done)](const Status& status) {
    for (std::size_t i = 0; status && i < count; ++i) {
      double sum = 0.0;
      for (std::uint32_t r = 0; r < call.ranks; ++r) sum += call.inbox[r * count + i];
      call.values[i] = sum;
    }
    done(status);
  };
  const auto gathering = std::make_shared<Gathering>(*call.tasks, std::move(finish));
  for (std::uint32_t r = 0; r < call.ranks; ++r) {
    if (r == call.rank.value) continue;
    call.exchange->receive({r}, call.tag, std::as_writable_bytes(slot(r)), gathering->expect());
    call.exchange->send({r}, call.tag, std::as_bytes(slot(call.rank.value)), gathering->expect());
  }
  gathering->finish({});
}

}  // namespace frenzy::executor
