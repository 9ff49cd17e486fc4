#pragma once
// SessionExchange: ranks of other processes, over a transport session. Every transfer is one body;
// the receiver grants the very memory it goes into, so nothing is copied on the way in.

#include <map>
#include <memory>

#include "frenzy/executor/exchange.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::executor {

/// Where the ranks of a job live: in this process (no peer), or behind a peer of the session. Ranks of
/// one process are behind one peer, seen from everywhere: the collectives' routes follow from it.
struct ExchangeRoutes {
  std::uint32_t ranks = 1;
  std::map<Rank, transport::PeerId> remote;
};

/// The view of local rank `rank`: local ranks through `local`, the others through `session`.
/// Everything passed in outlives the view. Thread: any.
[[nodiscard]] std::unique_ptr<Exchange> join_routes(LocalExchange& local, transport::Session& session,
                                                    const ExchangeRoutes& routes, Rank rank);

}  // namespace frenzy::executor
