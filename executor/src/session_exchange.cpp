#include "frenzy/executor/session_exchange.hpp"

namespace frenzy::executor {
namespace {

/// Both sides derive the same name: what, which block, from whom to whom, at which step.
transport::BodyTag body_tag(ExchangeTag tag, Rank from, Rank to) {
  const auto what = std::uint64_t{tag.kind} << 56 | std::uint64_t{tag.block & 0xffffffU} << 32;
  return {tag.step, what | std::uint64_t{from.value & 0xffffU} << 16 | (to.value & 0xffffU)};
}

class RoutedExchange final : public Exchange {
 public:
  RoutedExchange(LocalExchange& local, transport::Session& session, const ExchangeRoutes& routes,
                 Rank rank)
      : local_(local.join(rank)), session_(session), remote_(routes.remote), rank_(rank) {}

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

 private:
  std::unique_ptr<Exchange> local_;
  transport::Session& session_;
  std::map<Rank, transport::PeerId> remote_;
  Rank rank_;
};

}  // namespace

std::unique_ptr<Exchange> join_routes(LocalExchange& local, transport::Session& session,
                                      const ExchangeRoutes& routes, Rank rank) {
  return std::make_unique<RoutedExchange>(local, session, routes, rank);
}

}  // namespace frenzy::executor
