#include <cstring>

#include "frenzy/executor/exchange.hpp"

namespace frenzy::executor {
namespace {

/// Copies, or says which transfer has two lengths.
Status deliver(ConstBytes from, MutableBytes into, const ExchangeTag& tag) {
  if (from.size() != into.size()) {
    return error(Errc::conflict, "transfer kind {} block {} step {}: sent {} bytes, expected {}",
                 tag.kind, tag.block, tag.step, from.size(), into.size());
  }
  if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
  return {};
}

}  // namespace

class LocalExchange::View final : public Exchange {
 public:
  View(LocalExchange& hub, Rank rank) : hub_(hub), rank_(rank) {}
  void send(Rank to, ExchangeTag tag, ConstBytes bytes, ExchangeDone done) override {
    hub_.send({rank_, to, tag}, bytes, std::move(done));
  }
  void receive(Rank from, ExchangeTag tag, MutableBytes into, ExchangeDone done) override {
    hub_.receive({from, rank_, tag}, into, std::move(done));
  }

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
  side.done(*aborted);
  return std::nullopt;
}

void LocalExchange::send(const Key& key, ConstBytes bytes, ExchangeDone done) {
  Side side{bytes, {}, std::move(done)};
  auto other = meet(key, &State::senders, &State::receivers, side);
  if (!other) return;
  const auto result = deliver(bytes, other->into, key.tag);
  other->done(result);
  side.done(result);
}

void LocalExchange::receive(const Key& key, MutableBytes into, ExchangeDone done) {
  Side side{{}, into, std::move(done)};
  auto other = meet(key, &State::receivers, &State::senders, side);
  if (!other) return;
  const auto result = deliver(other->from, into, key.tag);
  other->done(result);
  side.done(result);
}

void LocalExchange::abort(const Error& why) {
  std::vector<ExchangeDone> open;
  {
    auto state = state_.lock();
    state->aborted = why;
    for (auto* sides : {&state->senders, &state->receivers}) {
      for (auto& [key, side] : *sides) open.push_back(std::move(side.done));
      sides->clear();
    }
  }
  for (auto& done : open) done(why);
}

}  // namespace frenzy::executor
