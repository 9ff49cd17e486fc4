#include <cstring>

#include "frenzy/executor/exchange.hpp"

namespace frenzy::executor {
class LocalExchange::View final : public Exchange {
 public:
  View(LocalExchange& hub, Rank rank) : hub_(hub), rank_(rank) {}
  void send(Rank to, ExchangeTag tag, ConstBytes bytes, ExchangeDone done) override {
    hub_.send({rank_, to, tag}, bytes, std::move(done));
  }
  void receive(Rank from, ExchangeTag tag, MutableBytes into, ExchangeDone done) override {
    hub_.receive({from, rank_, tag}, {.from = {}, .into = into, .done = std::move(done)});
  }
  void borrow(Rank from, ExchangeTag tag, std::uint64_t bytes, Loan loan) override {
    hub_.receive({from, rank_, tag},
                 {.from = {}, .into = {}, .done = {}, .loan = std::move(loan), .borrows = bytes});
  }
  [[nodiscard]] Rank home(Rank) const override { return {0}; }

 private:
  LocalExchange& hub_;
  Rank rank_;
};

std::unique_ptr<Exchange> LocalExchange::join(Rank rank) {
  FRENZY_CHECK(rank.value < ranks_);
  return std::make_unique<View>(*this, rank);
}

// Takes the waiting counterpart of `key`, or leaves this side to wait for it. A transfer of an aborted
// exchange fails at once.
std::optional<LocalExchange::Side> LocalExchange::meet(const Key& key, Waiting mine, Waiting theirs,
                                                       Side& side) {
  std::optional<Error> aborted;
  {
    auto state = state_.lock();
    if (!state->aborted) {
      auto& others = (*state).*theirs;
      const auto found = others.find(key);
      if (found == others.end()) {
        FRENZY_CHECK(((*state).*mine).emplace(key, std::move(side)).second);
        return std::nullopt;
      }
      auto other = std::move(found->second);
      others.erase(found);
      return other;
    }
    aborted = state->aborted;
  }
  side.fail(*aborted);
  return std::nullopt;
}

// Copies or lends, or says which transfer has two lengths.
void LocalExchange::deliver(const ExchangeTag& tag, Side& sender, Side& receiver) {
  const auto expected = receiver.loan ? receiver.borrows : receiver.into.size();
  if (sender.from.size() != expected) {
    const auto why = error(Errc::conflict, "transfer kind {} block {} step {}: sent {} bytes, expected {}",
                           tag.kind, tag.block, tag.step, sender.from.size(), expected);
    receiver.fail(why);
    return sender.done(why);
  }
  if (receiver.loan) return receiver.loan(sender.from, std::move(sender.done));
  if (!sender.from.empty()) std::memcpy(receiver.into.data(), sender.from.data(), sender.from.size());
  receiver.done({});
  sender.done({});
}

void LocalExchange::send(const Key& key, ConstBytes bytes, ExchangeDone done) {
  Side side{.from = bytes, .into = {}, .done = std::move(done)};
  auto other = meet(key, &State::senders, &State::receivers, side);
  if (other) deliver(key.tag, side, *other);
}

void LocalExchange::receive(const Key& key, Side side) {
  auto other = meet(key, &State::receivers, &State::senders, side);
  if (other) deliver(key.tag, *other, side);
}

void LocalExchange::abort(const Error& why) {
  std::vector<Side> open;
  {
    auto state = state_.lock();
    state->aborted = why;
    for (auto* sides : {&state->senders, &state->receivers}) {
      for (auto& [key, side] : *sides) open.push_back(std::move(side));
      sides->clear();
    }
  }
  for (auto& side : open) side.fail(why);
}

}  // namespace frenzy::executor
