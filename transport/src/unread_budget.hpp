#pragma once
// UnreadBudget: what all peers of a session together keep in memory of messages that cannot be read
// yet (arriving, or come before one that is missing). When it is too much, the peer that has held
// some longest without a break must go: an honest one holds only while its bytes are on their way.
// Thread: the session's loop.

#include <map>
#include <optional>

#include "frenzy/base/clock.hpp"
#include "frenzy/transport/carrier.hpp"

namespace frenzy::transport {

class UnreadBudget {
 public:
  void hold(LinkId link, std::uint64_t bytes, TimePoint now);
  /// Of a link that was forgotten: nothing.
  void release(LinkId link, std::uint64_t bytes);
  void forget(LinkId link);
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t of(LinkId link) const;
  [[nodiscard]] std::optional<LinkId> longest() const;

 private:
  struct Held {
    std::uint64_t bytes = 0;
    TimePoint since;
  };
  std::map<LinkId, Held> held_;
  std::uint64_t total_ = 0;
};

}  // namespace frenzy::transport
