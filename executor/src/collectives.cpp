#include "frenzy/executor/collectives.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>

#include "frenzy/base/tasks.hpp"
#include "frenzy/transport/session.hpp"

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

constexpr std::size_t kAtOnce = 8192;  // stays in the first-level cache

/// If the sum can be made in `into`, one of its terms, the other terms in the order of adding (a sum of two
/// may be turned around); else nothing.
std::vector<ConstBytes> others_in_place(const Terms& terms, ConstBytes into) {
  const auto is_into = [&](ConstBytes term) { return term.data() == into.data(); };
  const auto mine = std::ranges::find_if(terms, [&](const auto& group) { return std::ranges::any_of(group, is_into); });
  if (mine == terms.end() || terms.size() > 2 || mine->size() > 2) return {};
  std::vector<ConstBytes> out;
  std::ranges::copy_if(*mine, std::back_inserter(out), [&](ConstBytes term) { return !is_into(term); });
  for (const auto& group : terms) {
    if (&group == &*mine) continue;
    if (group.size() > 1) return {};
    out.push_back(group[0]);
  }
  return out;
}

/// Adds up piece by piece. `into` may be one of the terms.
void sum_terms(Kernels& kernels, const Terms& terms, MutableBytes into) {
  const auto others = others_in_place(terms, into);
  for (std::size_t at = 0; !others.empty() && at < into.size(); at += kAtOnce) {
    const auto size = std::min(kAtOnce, into.size() - at);
    for (const auto other : others) kernels.add(into.subspan(at, size), other.subspan(at, size));
  }
  if (!others.empty()) return;
  alignas(64) std::array<std::byte, kAtOnce> total_memory, group_memory;  // written before read
  for (std::size_t at = 0; at < into.size(); at += kAtOnce) {
    const auto size = std::min(kAtOnce, into.size() - at);
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
    out.reserve(ranks.size());
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

/// Long ranges travel in pieces of one fragment, so that a piece is added or copied on while it is in the
/// cache, and while the next one is on its way.
constexpr std::size_t kPiece = transport::kFragment;

std::uint32_t pieces_of(MutableBytes bytes) {
  return static_cast<std::uint32_t>((bytes.size() + kPiece - 1) / kPiece);
}

template <class Bytes>
Bytes piece_of(Bytes bytes, std::uint32_t number) {
  const auto begin = number * kPiece;
  return bytes.subspan(begin, std::min(kPiece, bytes.size() - begin));
}

/// Pieces of one range being worked on at once: what one has written the next overwrites while it is still
/// in the cache, and one more is on its way meanwhile.
constexpr std::uint32_t kPiecesOpen = 2;

/// Works on the pieces of a range in order, kPiecesOpen at a time. Thread: the stream; a piece may be
/// finished on any.
class Pieces : public std::enable_shared_from_this<Pieces> {
 public:
  using Work = std::function<void(std::uint32_t piece, ExchangeDone)>;
  Pieces(Tasks& tasks, std::uint32_t count, Work work, ExchangeDone done)
      : tasks_(tasks), count_(count), work_(std::move(work)), done_(std::move(done)) {}

  void go() {
    for (; open_ < kPiecesOpen && next_ < count_ && first_; ++open_) {
      work_(next_++, [self = shared_from_this()](Status status) {
        self->tasks_.post([self, status = std::move(status)] {
          --self->open_;
          if (!status && self->first_) self->first_ = status;
          self->go();
        });
      });
    }
    if (open_ == 0) done_(first_);
  }

 private:
  Tasks& tasks_;
  std::uint32_t count_, next_ = 0, open_ = 0;
  Status first_;
  Work work_;
  ExchangeDone done_;
};

/// What both collectives know of a call.
class Ranges {
 public:
  explicit Ranges(const CollectiveCall& call)
      : call_(call), layout_(*call.exchange, call.ranges.size(), call.rank) {}

 protected:
  [[nodiscard]] Rank me() const { return call_.rank; }
  [[nodiscard]] MutableBytes range(Rank owner) const {
    const auto& elements = call_.ranges[owner.value];
    return call_.data.subspan(elements.begin * call_.element_bytes, elements.size() * call_.element_bytes);
  }
  [[nodiscard]] ExchangeTag tag(Rank owner, std::uint32_t piece) const {
    auto out = call_.tag;
    out.about = owner;
    out.piece = piece;
    return out;
  }
  template <class Use>
  void each_elsewhere(Use use) const {
    for (const auto& [home, ranks] : layout_.processes()) {
      if (!layout_.local(home)) use(ranks);
    }
  }

  CollectiveCall call_;
  Layout layout_;
};

/// One rank's part of a reduce-scatter. Lives until its last callback.
class ReduceScatter : public Ranges, public std::enable_shared_from_this<ReduceScatter> {
 public:
  ReduceScatter(const CollectiveCall& call, MutableBytes inbox) : Ranges(call), inbox_(inbox) {}

  void start(ExchangeDone done) {
    const auto all = std::make_shared<Gathering>(*call_.tasks, std::move(done));
    for (std::uint32_t r = 0; r < call_.ranges.size(); ++r) {
      const Rank owner{r}, summer = layout_.local(owner) ? owner : layout_.speaker(owner);
      if (range(owner).empty()) continue;
      if (summer != me()) {
        call_.exchange->send(summer, tag(owner, 0), range(owner), all->expect());
        continue;
      }
      const auto sum = owner == me() ? &ReduceScatter::sum_own : &ReduceScatter::sum_for;
      with_loans(owner, [self = shared_from_this(), owner, sum](const Loaned& loans, ExchangeDone summed) {
        ((*self).*sum)(owner, loans, std::move(summed));
      }, all->expect());
    }
    all->finish({});
  }

 private:
  using Loaned = std::shared_ptr<Loans>;

  /// Runs `use` on the stream when all other local ranks have lent their `owner` range; gives the loans
  /// back when `use` is done.
  void with_loans(Rank owner, std::function<void(const Loaned&, ExchangeDone)> use, ExchangeDone done) const {
    const auto loans = std::make_shared<Loans>();
    const auto arrivals = std::make_shared<Gathering>(
        *call_.tasks, [loans, use = std::move(use), done = std::move(done)](const Status& arrived) {
          auto finish = [loans, done](const Status& status) {
            loans->give_back(status);
            done(status);
          };
          arrived ? use(loans, std::move(finish)) : finish(arrived);
        });
    for (const auto rank : layout_.locals()) {
      if (rank == me()) continue;
      call_.exchange->borrow(rank, tag(owner, 0), range(owner).size(), loans->take(rank, arrivals->expect()));
    }
    arrivals->finish({});
  }

  /// The sum over this process, for an owner elsewhere.
  void sum_for(Rank owner, const Loaned& loans, ExchangeDone done) {
    const auto work = [self = shared_from_this(), owner, loans](std::uint32_t p, ExchangeDone sent) {
      const auto mine = piece_of(self->range(owner), p);
      if (self->layout_.locals().size() > 1) {
        sum_terms(*self->call_.kernels, {self->local_term(*loans, owner, p)}, mine);
      }
      self->call_.exchange->send(owner, self->tag(owner, p), mine, std::move(sent));
    };
    std::make_shared<Pieces>(*call_.tasks, pieces_of(range(owner)), work, std::move(done))->go();
  }

  /// The sum over all processes, of the own range.
  void sum_own(Rank owner, const Loaned& loans, ExchangeDone done) {
    const auto work = [self = shared_from_this(), owner, loans](std::uint32_t p, ExchangeDone summed) {
      const auto arrivals = std::make_shared<Gathering>(
          *self->call_.tasks, [self, loans, p, summed = std::move(summed)](const Status& status) {
            if (status) self->sum_piece(*loans, p);
            summed(status);
          });
      std::size_t slot = 0;
      self->each_elsewhere([&](const auto& ranks) {
        const auto from = Layout::speaker(ranks, owner);
        self->call_.exchange->receive(from, self->tag(owner, p), self->inbox(slot++, p), arrivals->expect());
      });
      arrivals->finish({});
    };
    std::make_shared<Pieces>(*call_.tasks, pieces_of(range(owner)), work, std::move(done))->go();
  }

  void sum_piece(Loans& loans, std::uint32_t piece) const {
    if (call_.ranges.size() == 1) return;
    Terms terms;
    std::size_t slot = 0;
    for (const auto& [home, ranks] : layout_.processes()) {
      if (layout_.local(home)) {
        terms.push_back(local_term(loans, me(), piece));
      } else {
        terms.push_back({inbox(slot++, piece)});
      }
    }
    sum_terms(*call_.kernels, terms, piece_of(range(me()), piece));
  }

  /// Of the process in `slot`: kPiecesOpen pieces in turn.
  [[nodiscard]] MutableBytes inbox(std::size_t slot, std::uint32_t piece) const {
    const auto mine = range(me());
    return piece_of(inbox_.subspan(slot * mine.size(), mine.size()), piece % kPiecesOpen).first(piece_of(mine, piece).size());
  }
  [[nodiscard]] std::vector<ConstBytes> local_term(Loans& loans, Rank owner, std::uint32_t piece) const {
    auto out = loans.bytes(layout_.locals(), me(), range(owner));
    for (auto& bytes : out) bytes = piece_of(bytes, piece);
    return out;
  }

  MutableBytes inbox_;
};

/// One rank's part of an all-gather. Lives until its last callback.
class AllGather : public Ranges, public std::enable_shared_from_this<AllGather> {
 public:
  using Ranges::Ranges;

  void start(ExchangeDone done) {
    const auto all = std::make_shared<Gathering>(*call_.tasks, std::move(done));
    for (std::uint32_t r = 0; r < call_.ranges.size(); ++r) {
      for (std::uint32_t p = 0; r != me().value && p < pieces_of(range({r})); ++p) fetch({r}, p, all);
    }
    const auto work = [self = shared_from_this()](std::uint32_t p, ExchangeDone given) { self->give(p, std::move(given)); };
    std::make_shared<Pieces>(*call_.tasks, pieces_of(range(me())), work, all->expect())->go();
    all->finish({});
  }

 private:
  using All = std::shared_ptr<Gathering>;

  void give(std::uint32_t piece, ExchangeDone given) {
    const auto all = std::make_shared<Gathering>(*call_.tasks, std::move(given));
    each_elsewhere([&](const auto& ranks) {
      call_.exchange->send(Layout::speaker(ranks, me()), tag(me(), piece), piece_of(range(me()), piece), all->expect());
    });
    pass_on(me(), piece, all);
    all->finish({});
  }

  void fetch(Rank owner, std::uint32_t piece, const All& all) {
    const auto bytes = piece_of(range(owner), piece);
    const Rank from = layout_.local(owner) ? owner : layout_.speaker(owner);
    if (from != me()) return call_.exchange->receive(from, tag(owner, piece), bytes, all->expect());
    call_.exchange->receive(owner, tag(owner, piece), bytes,
                            [self = shared_from_this(), owner, piece, all, arrived = all->expect()](const Status& status) {
                              if (!status || self->layout_.locals().size() == 1) return arrived(status);
                              // Copies are made on the stream: this may be the progress thread.
                              self->call_.tasks->post([self, owner, piece, all, arrived] {
                                self->pass_on(owner, piece, all);
                                arrived({});
                              });
                            });
  }

  void pass_on(Rank owner, std::uint32_t piece, const All& all) const {
    for (const auto rank : layout_.locals()) {
      if (rank == me()) continue;
      call_.exchange->send(rank, tag(owner, piece), piece_of(range(owner), piece), all->expect());
    }
  }
};

}  // namespace

void reduce_scatter(const CollectiveCall& call, MutableBytes inbox, ExchangeDone done) {
  std::make_shared<ReduceScatter>(call, inbox)->start(std::move(done));
}

void all_gather(const CollectiveCall& call, ExchangeDone done) {
  std::make_shared<AllGather>(call)->start(std::move(done));
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
