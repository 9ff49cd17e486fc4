#pragma once
// BodyFlow: which bodies of one peer are on their way, in both directions. Pure bookkeeping: no
// carrier, no keys, and it never calls a Done itself but hands it back to be called.
//
// Invariants: a body is cut only after its grant came; each fragment of a granted buffer lands
// exactly once; a Done is handed out once. Memory is bounded by what this side posted, plus
// kMaxGrants grants of the peer for bodies not sent yet.

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::transport {

struct Fragment {
  BodyTag tag;
  std::uint64_t offset = 0, total = 0;
  std::span<const std::byte> bytes;
};

/// A Done that is due, with its argument.
struct Finished {
  Done done;
  Status status;
};

struct GrantOutcome {
  std::optional<Finished> finished;
  std::optional<std::uint64_t> abandon;  ///< tell the peer: our body has this length, it will not come
};

class BodyFlow {
 public:
  static constexpr std::size_t kMaxGrants = 1U << 16;

  /// Errors: conflict. `done` is consumed only on success.
  [[nodiscard]] Result<GrantOutcome> post_send(BodyTag tag, std::span<const std::byte> body, Done& done);
  /// Errors are the peer's fault.
  [[nodiscard]] Result<GrantOutcome> on_grant(BodyTag tag, std::uint64_t total);
  [[nodiscard]] bool has_fragment() const { return !ready_.empty(); }
  /// The next fragment, in turn over all granted bodies.
  [[nodiscard]] Fragment next_fragment();
  [[nodiscard]] std::optional<Finished> fragment_sent(BodyTag tag);

  [[nodiscard]] Status post_receive(BodyTag tag, std::span<std::byte> into, Done& done);
  /// Errors are the peer's fault.
  [[nodiscard]] Result<std::span<std::byte>> land(BodyTag tag, std::uint64_t offset,
                                                  std::uint64_t total, std::uint32_t length);
  [[nodiscard]] std::optional<Finished> landed(BodyTag tag, std::uint32_t length);
  [[nodiscard]] Result<Finished> on_abandon(BodyTag tag, std::uint64_t total);

  /// Every Done still open, in order of tags; afterwards the flow is empty.
  [[nodiscard]] std::vector<Done> take_all();

 private:
  struct Outgoing {
    std::span<const std::byte> body;
    Done done;
    std::uint64_t cut = 0;           ///< bytes handed out as fragments
    std::uint32_t in_flight = 0;
    bool all_cut = false, granted = false;
  };
  struct Incoming {
    std::span<std::byte> into;
    Done done;
    std::vector<bool> claimed;       ///< per fragment
    std::uint64_t landed = 0;
    bool touched = false;            ///< a fragment has begun to land
  };

  [[nodiscard]] GrantOutcome match(BodyTag tag, std::uint64_t granted);

  std::map<BodyTag, Outgoing> outgoing_;
  std::map<BodyTag, Incoming> incoming_;
  std::map<BodyTag, std::uint64_t> grants_;  ///< that came before their body
  std::deque<BodyTag> ready_;
};

}  // namespace frenzy::transport
