#include "frenzy/executor/session_exchange.hpp"

#include <optional>
#include <vector>

#include "frenzy/base/check.hpp"

namespace frenzy::executor {
namespace {

/// Both sides derive the same name: what, which block, from whom to whom, at which step, which piece.
transport::BodyTag body_tag(ExchangeTag tag, Rank from, Rank to) {
  const auto what = std::uint64_t{tag.kind} << 56 | std::uint64_t{tag.block & 0xffffffU} << 32;
  return {tag.step | std::uint64_t{tag.piece} << 40, what | std::uint64_t{from.value & 0xffffU} << 16 | (to.value & 0xffffU)};
}

class RoutedExchange final : public Exchange {
 public:
  RoutedExchange(LocalExchange& local, transport::Session& session, const ExchangeRoutes& routes,
                 Rank rank)
      : local_(local.join(rank)), session_(session), remote_(routes.remote), rank_(rank) {
    for (std::uint32_t r = 0; r < routes.ranks; ++r) {
      const auto same = [&](std::uint32_t other) { return peer_of({other}) == peer_of({r}); };
      std::uint32_t lowest = 0;
      while (!same(lowest)) ++lowest;
      homes_.push_back({lowest});
    }
  }

  void send(Rank to, ExchangeTag tag, ConstBytes bytes, ExchangeDone done) override {
    const auto peer = remote_.find(to);
    if (peer == remote_.end()) return local_->send(to, tag, bytes, std::move(done));
    session_.tasks().post([&session = session_, peer = peer->second, bytes,
                           name = body_tag(tag, rank_, to), done = std::move(done)]() mutable {
      session.send_body(peer, name, bytes, std::move(done));
    });
  }

  void receive(Rank from, ExchangeTag tag, MutableBytes into, ExchangeDone done) override {
    const auto peer = remote_.find(from);
    if (peer == remote_.end()) return local_->receive(from, tag, into, std::move(done));
    session_.tasks().post([&session = session_, peer = peer->second, into,
                           name = body_tag(tag, from, rank_), done = std::move(done)]() mutable {
      session.post_receive(peer, name, into, std::move(done));
    });
  }

  void borrow(Rank from, ExchangeTag tag, std::uint64_t bytes, Loan loan) override {
    FRENZY_CHECK(home(from) == home(rank_));
    local_->borrow(from, tag, bytes, std::move(loan));
  }

  [[nodiscard]] Rank home(Rank rank) const override { return homes_.at(rank.value); }

 private:
  [[nodiscard]] std::optional<transport::PeerId> peer_of(Rank rank) const {
    const auto found = remote_.find(rank);
    if (found == remote_.end()) return std::nullopt;
    return found->second;
  }

  std::unique_ptr<Exchange> local_;
  transport::Session& session_;
  std::map<Rank, transport::PeerId> remote_;
  Rank rank_;
  std::vector<Rank> homes_;
};

}  // namespace

std::unique_ptr<Exchange> join_routes(LocalExchange& local, transport::Session& session,
                                      const ExchangeRoutes& routes, Rank rank) {
  return std::make_unique<RoutedExchange>(local, session, routes, rank);
}

}  // namespace frenzy::executor
