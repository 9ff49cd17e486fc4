#include "frenzy/executor/collectives.hpp"

#include <catch2/catch.hpp>
#include <future>
#include <map>

#include "frenzy/base/thread_tasks.hpp"
#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#include "small_plans.hpp"

using namespace frenzy;
using namespace frenzy::executor;
using namespace frenzy::testing;

namespace {

/// All ranks of one collective, each on a stream of its own.
struct Ring {
  explicit Ring(std::uint32_t n) : hub(n), kernels(small_model()) {
    for (std::uint32_t r = 0; r < n; ++r) {
      views.push_back(hub.join({r}));
      streams.push_back(std::make_unique<ThreadTasks>(clock));
    }
  }
  SystemClock clock;
  LocalExchange hub;
  cpu::reference::ReferenceKernels<float> kernels;
  std::vector<std::unique_ptr<Exchange>> views;
  std::vector<std::unique_ptr<ThreadTasks>> streams;
};

std::vector<model::ElementRange> random_ranges(Rng& rng, std::uint64_t total, std::uint32_t n) {
  const auto cuts = random_cuts(rng, total, n);
  std::vector<model::ElementRange> out;
  for (std::uint32_t r = 0; r < n; ++r) out.push_back({cuts[r], cuts[r + 1]});
  return out;
}

float value_of(std::uint32_t rank, std::uint64_t i) {
  return static_cast<float>(unit_interval(counter_random(rank, i))) - 0.5F;
}

/// What every rank holds after reduce-scatter and all-gather of value_of().
std::vector<std::vector<float>> reduce_and_gather(Ring& ring, const std::vector<model::ElementRange>& ranges,
                                                  std::uint64_t step) {
  const auto n = static_cast<std::uint32_t>(ranges.size());
  const auto total = ranges.back().end;
  std::vector<std::vector<float>> data(n, std::vector<float>(total)), inbox(n);
  std::vector<std::promise<Status>> done(n);
  for (std::uint32_t r = 0; r < n; ++r) {
    for (std::uint64_t i = 0; i < total; ++i) data[r][i] = value_of(r, i);
    inbox[r].resize(ranges[r].size() * (n - 1));
    CollectiveCall call{ring.views[r].get(), &ring.kernels, ring.streams[r].get(), {r},
                        {step, 0, 1}, ranges, 4, std::as_writable_bytes(std::span(data[r]))};
    reduce_scatter(call, std::as_writable_bytes(std::span(inbox[r])), [&done, r, call](const Status&) {
      auto gather = call;
      gather.tag.kind = 2;
      all_gather(gather, [&done, r](Status status) { done[r].set_value(std::move(status)); });
    });
  }
  for (auto& d : done) REQUIRE(d.get_future().get().ok());
  return data;
}

}  // namespace

TEST_CASE("uneven reduce-scatter and all-gather sum in rank order, bit for bit", "[executor]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const auto n = 2 + static_cast<std::uint32_t>(rng.below(5));
    const auto total = 1 + rng.below(500);
    const auto ranges = random_ranges(rng, total, n);
    Ring ring(n);
    const auto data = reduce_and_gather(ring, ranges, seed);
    for (std::uint64_t i = 0; i < total; ++i) {
      float expected = value_of(0, i);
      for (std::uint32_t r = 1; r < n; ++r) expected += value_of(r, i);
      for (std::uint32_t r = 0; r < n; ++r) CHECK(data[r][i] == expected);
    }
  }
}
namespace {

/// Transfers of one rank between processes, by collective and peer.
struct Open {
  std::map<std::pair<std::uint8_t, Rank>, int> now;
  int most = 0;
};

/// A rank's view in which every `size` ranks make a process.
class Grouped final : public Exchange {
 public:
  Grouped(std::unique_ptr<Exchange> view, std::uint32_t size, Rank me)
      : view_(std::move(view)), size_(size), me_(me) {}
  void send(Rank to, ExchangeTag tag, ConstBytes bytes, ExchangeDone done) override {
    if (home(to) == home(me_)) return view_->send(to, tag, bytes, std::move(done));
    {
      auto open = open_->lock();
      open->most = std::max(open->most, ++open->now[{tag.kind, to}]);
    }
    view_->send(to, tag, bytes, [open = open_, to, kind = tag.kind, done = std::move(done)](Status status) {
      --open->lock()->now[{kind, to}];
      done(std::move(status));
    });
  }
  [[nodiscard]] int most_open() const { return open_->lock()->most; }
  void receive(Rank from, ExchangeTag tag, MutableBytes into, ExchangeDone done) override {
    view_->receive(from, tag, into, std::move(done));
  }
  void borrow(Rank from, ExchangeTag tag, std::uint64_t bytes, Loan loan) override {
    view_->borrow(from, tag, bytes, std::move(loan));
  }
  [[nodiscard]] Rank home(Rank rank) const override { return {rank.value / size_ * size_}; }

 private:
  std::unique_ptr<Exchange> view_;
  std::uint32_t size_;
  Rank me_;
  std::shared_ptr<Guarded<Open>> open_ = std::make_shared<Guarded<Open>>();
};

std::vector<Grouped*> group(Ring& ring, std::uint32_t size) {
  std::vector<Grouped*> out;
  for (std::uint32_t r = 0; r < ring.views.size(); ++r) {
    auto grouped = std::make_unique<Grouped>(std::move(ring.views[r]), size, Rank{r});
    out.push_back(grouped.get());
    ring.views[r] = std::move(grouped);
  }
  return out;
}

float sum_over_processes(std::uint32_t n, std::uint32_t size, std::uint64_t i) {
  float total = 0;
  for (std::uint32_t home = 0; home < n; home += size) {
    float sum = value_of(home, i);
    for (std::uint32_t r = home + 1; r < std::min(n, home + size); ++r) sum += value_of(r, i);
    total = home == 0 ? sum : total + sum;
  }
  return total;
}

}  // namespace

TEST_CASE("ranks of one process are summed first, then the processes in order, bit for bit", "[executor]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const auto n = 2 + static_cast<std::uint32_t>(rng.below(6));
    const auto size = 1 + static_cast<std::uint32_t>(rng.below(n));
    const auto total = 1 + rng.below(20000);
    Ring ring(n);
    group(ring, size);
    const auto data = reduce_and_gather(ring, random_ranges(rng, total, n), seed);
    for (std::uint64_t i = 0; i < total; ++i) {
      const float expected = sum_over_processes(n, size, i);
      for (std::uint32_t r = 0; r < n; ++r) REQUIRE(data[r][i] == expected);
    }
  }
}

TEST_CASE("long ranges travel in pieces, two of a range at a time", "[executor]") {
  constexpr std::uint32_t kRanks = 5, kInProcess = 2;
  constexpr std::uint64_t kTotal = (9ULL << 20) + 123;
  Rng rng(3);
  Ring ring(kRanks);
  const auto views = group(ring, kInProcess);
  const auto data = reduce_and_gather(ring, random_ranges(rng, kTotal, kRanks), 1);
  for (const auto* view : views) CHECK(view->most_open() <= 2);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kTotal; ++i) {
    const float expected = sum_over_processes(kRanks, kInProcess, i);
    for (std::uint32_t r = 0; r < kRanks; ++r) wrong += data[r][i] == expected ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a borrower sees the sender's memory until it gives it back", "[executor]") {
  LocalExchange hub(2);
  const auto lender = hub.join({0}), borrower = hub.join({1});
  std::vector<std::byte> bytes(8);
  bool returned = false;
  ExchangeDone release;
  lender->send({1}, {1, 0, 0}, bytes, [&](const Status& s) { returned = s.ok(); });
  borrower->borrow({0}, {1, 0, 0}, 8, [&](Result<ConstBytes> seen, ExchangeDone give_back) {
    REQUIRE(seen.ok());
    CHECK(seen->data() == bytes.data());
    release = std::move(give_back);
  });
  CHECK_FALSE(returned);
  release({});
  CHECK(returned);
  int failures = 0;
  borrower->borrow({0}, {1, 0, 1}, 8, [&](const Result<ConstBytes>& seen, const ExchangeDone&) {
    failures += seen.ok() ? 0 : 1;
  });
  hub.abort({Errc::unreachable, "rank 0 is gone"});
  CHECK(failures == 1);
}

TEST_CASE("an aborted exchange fails what is open and what comes later", "[executor]") {
  LocalExchange hub(2);
  const auto view = hub.join({0});
  std::vector<std::byte> bytes(8);
  std::vector<Status> seen;
  view->receive({1}, {1, 0, 0}, bytes, [&](Status s) { seen.push_back(std::move(s)); });
  CHECK(seen.empty());
  hub.abort({Errc::unreachable, "rank 1 is gone"});
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].error().what == "rank 1 is gone");
  view->send({1}, {1, 0, 1}, bytes, [&](Status s) { seen.push_back(std::move(s)); });
  REQUIRE(seen.size() == 2);
  CHECK_FALSE(seen[1].ok());
}

TEST_CASE("a transfer of two lengths fails on both sides", "[executor]") {
  LocalExchange hub(2);
  const auto a = hub.join({0});
  const auto b = hub.join({1});
  std::vector<std::byte> from(8), into(9);
  int failures = 0;
  const auto count = [&](const Status& s) { failures += s.ok() ? 0 : 1; };
  a->send({1}, {1, 0, 0}, from, count);
  b->receive({0}, {1, 0, 0}, into, count);
  CHECK(failures == 2);
}
