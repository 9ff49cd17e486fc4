#pragma once
// Exchange: how the ranks of one job pass bytes to each other. A transfer is named by its tag on both
// sides; send and receive meet in any order. Callback-style: nothing here blocks.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "frenzy/base/guarded.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/executor/kernels.hpp"

namespace frenzy::executor {

/// Unique among the transfers between two ranks that can be open at once.
struct ExchangeTag {
  std::uint64_t step = 0;
  std::uint32_t block = 0;
  std::uint8_t kind = 0;  ///< the opcode, and which buffer of it
  std::uint32_t piece = 0;  ///< of a long transfer; below 2^24
  Rank about{};             ///< whose range it is; between processes that follows from the two ranks
  friend auto operator<=>(const ExchangeTag&, const ExchangeTag&) = default;
};

using ExchangeDone = std::function<void(Status)>;
/// Shows the sender's own memory, which stays as it is until `release` runs (once; empty with an error).
using Loan = std::function<void(Result<ConstBytes> bytes, ExchangeDone release)>;

/// One rank's view. Thread: any. `done` runs once, on any thread, possibly inside the call. Memory is
/// borrowed until then.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void send(Rank to, ExchangeTag tag, ConstBytes bytes, ExchangeDone done) = 0;
  virtual void receive(Rank from, ExchangeTag tag, MutableBytes into, ExchangeDone done) = 0;
  /// Receives without a copy; `from` has the same home.
  virtual void borrow(Rank from, ExchangeTag tag, std::uint64_t bytes, Loan loan) = 0;
  /// The lowest rank in the process of `rank`. All ranks of a job agree on it.
  [[nodiscard]] virtual Rank home(Rank rank) const = 0;
};

/// Ranks inside one process: a transfer is one copy, made by whoever comes second.
/// Thread: any.
class LocalExchange {
 public:
  explicit LocalExchange(std::uint32_t ranks) : ranks_(ranks) {}
  /// The view of `rank`; the LocalExchange outlives it.
  [[nodiscard]] std::unique_ptr<Exchange> join(Rank rank);
  /// Fails every open transfer, and every later one, with `why`.
  void abort(const Error& why);

 private:
  class View;
  struct Key {
    Rank from, to;
    ExchangeTag tag;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Side {
    ConstBytes from;
    MutableBytes into;
    ExchangeDone done;
    Loan loan{};                ///< of a borrower, instead of into and done
    std::uint64_t borrows = 0;
    void fail(const Error& why) { loan ? loan(why, nullptr) : done(why); }
  };
  struct State {
    std::map<Key, Side> senders, receivers;
    std::optional<Error> aborted;
  };
  using Waiting = std::map<Key, Side> State::*;
  std::optional<Side> meet(const Key& key, Waiting mine, Waiting theirs, Side& side);
  void send(const Key& key, ConstBytes bytes, ExchangeDone done);
  void receive(const Key& key, Side side);
  static void deliver(const ExchangeTag& tag, Side& sender, Side& receiver);

  std::uint32_t ranks_;
  Guarded<State> state_;
};

}  // namespace frenzy::executor
