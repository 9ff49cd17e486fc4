#include "frenzy/executor/collectives.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
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

/// Who shares memory with whom, and who acts for a process.
class Layout {
 public:
  Layout(const Exchange& exchange, std::size_t ranks, Rank me) : home_(exchange.home(me)) {
    for (std::uint32_t r = 0; r < ranks; ++r) processes_[exchange.home({r})].push_back({r});
  }
  /// In the order of their lowest rank, each in rank order.
  [[nodiscard]] const std::map<Rank, std::vector<Rank>>& processes() const { return processes_; }
  [[nodiscard]] const std::vector<Rank>& locals() const { return processes_.at(home_); }
  [[nodiscard]] bool local(Rank rank) const {
    return std::ranges::find(locals(), rank) != locals().end();
  }
  /// The one of `process` that speaks with `owner`, a rank of another process, about its range.
  [[nodiscard]] static Rank speaker(const std::vector<Rank>& process, Rank owner) {
    return process[owner.value % process.size()];
  }
  [[nodiscard]] Rank speaker(Rank owner) const { return speaker(locals(), owner); }

 private:
  std::map<Rank, std::vector<Rank>> processes_;
  Rank home_;
};

/// One sum: terms of terms, added in the order given.
using Terms = std::vector<std::vector<ConstBytes>>;

/// Adds up in pieces that stay in the first-level cache. `into` may be one of the terms.
void sum_terms(Kernels& kernels, const Terms& terms, MutableBytes into) {
  constexpr std::size_t kPiece = 8192;
  alignas(64) std::array<std::byte, kPiece> total_memory, group_memory;  // written before read
  for (std::size_t at = 0; at < into.size(); at += kPiece) {
    const auto size = std::min(kPiece, into.size() - at);
    for (std::size_t g = 0; g < terms.size(); ++g) {
      const auto sum = MutableBytes(g == 0 ? total_memory : group_memory).first(size);
      std::memcpy(sum.data(), terms[g][0].data() + at, size);
      for (std::size_t i = 1; i < terms[g].size(); ++i) kernels.add(sum, terms[g][i].subspan(at, size));
      if (g > 0) kernels.add(MutableBytes(total_memory).first(size), sum);
    }
    std::memcpy(into.data() + at, total_memory.data(), size);
  }
}

/// Memory that other ranks of this process have lent for one sum. Thread: loans come from any, the rest
/// is done when all are there.
class Loans {
 public:
  [[nodiscard]] Loan take(Rank rank, ExchangeDone arrived) {
    return [this, rank, arrived = std::move(arrived)](Result<ConstBytes> bytes, ExchangeDone release) {
      if (!bytes) return arrived(bytes.error());
      {
        auto lent = lent_.lock();
        lent->emplace(rank, Lent{*bytes, std::move(release)});
      }
      arrived({});
    };
  }
  /// Contributions of `ranks`; those of `me` are its own.
  [[nodiscard]] std::vector<ConstBytes> bytes(const std::vector<Rank>& ranks, Rank me, ConstBytes own) {
    std::vector<ConstBytes> out;
    auto lent = lent_.lock();
    for (const auto rank : ranks) out.push_back(rank == me ? own : lent->at(rank).bytes);
    return out;
  }
  void give_back(const Status& status) {
    std::map<Rank, Lent> all;
    std::swap(all, *lent_.lock());
    for (auto& [rank, lent] : all) lent.release(status);
  }

 private:
  struct Lent {
    ConstBytes bytes;
    ExchangeDone release;
  };
  Guarded<std::map<Rank, Lent>> lent_;
};

/// One rank's part of a reduce-scatter. Lives until its last callback.
class ReduceScatter : public std::enable_shared_from_this<ReduceScatter> {
 public:
  ReduceScatter(const CollectiveCall& call, MutableBytes inbox)
      : call_(call), inbox_(inbox), layout_(*call.exchange, call.ranges.size(), call.rank) {}

  void start(ExchangeDone done) {
    const auto all = std::make_shared<Gathering>(*call_.tasks, std::move(done));
    for (std::uint32_t r = 0; r < call_.ranges.size(); ++r) {
      if (part({r}).empty()) continue;
      const Rank summer = layout_.local({r}) ? Rank{r} : layout_.speaker({r});
      if (summer != call_.rank) {
        call_.exchange->send(summer, tag({r}), part({r}), all->expect());
      } else if (call_.rank == Rank{r}) {
        sum_own(all->expect());
      } else {
        sum_for({r}, all->expect());
      }
    }
    all->finish({});
  }

 private:
  [[nodiscard]] MutableBytes part(Rank owner) const {
    const auto& range = call_.ranges[owner.value];
    return call_.data.subspan(range.begin * call_.element_bytes, range.size() * call_.element_bytes);
  }
  [[nodiscard]] ExchangeTag tag(Rank owner) const {
    auto out = call_.tag;
    out.part = owner.value;
    return out;
  }
  void borrow_all(Rank owner, const std::shared_ptr<Loans>& loans, Gathering& arrivals) const {
    for (const auto rank : layout_.locals()) {
      if (rank == call_.rank) continue;
      call_.exchange->borrow(rank, tag(owner), part(owner).size(), loans->take(rank, arrivals.expect()));
    }
  }

  /// The sum over this process, for an owner elsewhere.
  void sum_for(Rank owner, ExchangeDone done) {
    const auto loans = std::make_shared<Loans>();
    const auto arrivals = std::make_shared<Gathering>(
        *call_.tasks, [self = shared_from_this(), loans, owner, done = std::move(done)](const Status& status) {
          const auto mine = self->part(owner);
          if (status && self->layout_.locals().size() > 1) {
            sum_terms(*self->call_.kernels, {loans->bytes(self->layout_.locals(), self->call_.rank, mine)}, mine);
          }
          loans->give_back(status);
          if (!status) return done(status);
          self->call_.exchange->send(owner, self->tag(owner), mine, done);
        });
    borrow_all(owner, loans, *arrivals);
    arrivals->finish({});
  }

  /// The sum over all processes, of the own range.
  void sum_own(ExchangeDone done) {
    const auto loans = std::make_shared<Loans>();
    const auto arrivals = std::make_shared<Gathering>(
        *call_.tasks, [self = shared_from_this(), loans, done = std::move(done)](const Status& status) {
          if (status && self->call_.ranges.size() > 1) {
            sum_terms(*self->call_.kernels, self->own_terms(*loans), self->part(self->call_.rank));
          }
          loans->give_back(status);
          done(status);
        });
    borrow_all(call_.rank, loans, *arrivals);
    std::size_t slot = 0;
    for (const auto& [home, ranks] : layout_.processes()) {
      if (layout_.local(home)) continue;
      call_.exchange->receive(Layout::speaker(ranks, call_.rank), tag(call_.rank), inbox(slot++), arrivals->expect());
    }
    arrivals->finish({});
  }

  [[nodiscard]] MutableBytes inbox(std::size_t slot) const {
    const auto size = part(call_.rank).size();
    return inbox_.subspan(slot * size, size);
  }
  [[nodiscard]] Terms own_terms(Loans& loans) const {
    Terms out;
    std::size_t slot = 0;
    for (const auto& [home, ranks] : layout_.processes()) {
      if (layout_.local(home)) {
        out.push_back(loans.bytes(ranks, call_.rank, part(call_.rank)));
      } else {
        out.push_back({inbox(slot++)});
      }
    }
    return out;
  }

  CollectiveCall call_;
  MutableBytes inbox_;
  Layout layout_;
};

}  // namespace

void reduce_scatter(const CollectiveCall& call, MutableBytes inbox, ExchangeDone done) {
  std::make_shared<ReduceScatter>(call, inbox)->start(std::move(done));
}

void all_gather(const CollectiveCall& call, ExchangeDone done) {
  const Layout layout(*call.exchange, call.ranges.size(), call.rank);
  const auto all = std::make_shared<Gathering>(*call.tasks, std::move(done));
  for (std::uint32_t r = 0; r < call.ranges.size(); ++r) {
    const auto& range = call.ranges[r];
    const auto bytes = call.data.subspan(range.begin * call.element_bytes, range.size() * call.element_bytes);
    if (bytes.empty()) continue;
    auto tag = call.tag;
    tag.part = r;
    const Rank owner{r};
    const Rank from = layout.local(owner) ? owner : layout.speaker(owner);
    const auto copy_on = [exchange = call.exchange, locals = layout.locals(), me = call.rank, owner, tag, bytes, all] {
      for (const auto rank : locals) {
        if (rank != me) exchange->send(rank, tag, bytes, all->expect());
      }
    };
    if (owner == call.rank) {
      copy_on();
      for (const auto& [home, ranks] : layout.processes()) {
        if (layout.local(home)) continue;
        call.exchange->send(Layout::speaker(ranks, owner), tag, bytes, all->expect());
      }
    } else if (from != call.rank) {
      call.exchange->receive(from, tag, bytes, all->expect());
    } else {
      call.exchange->receive(owner, tag, bytes, [copy_on, arrived = all->expect()](const Status& status) {
        if (status) copy_on();
        arrived(status);
      });
    }
  }
  all->finish({});
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
