#pragma once
// Collectives over uneven ranges, in two levels: memory of a process is shared, so what leaves it leaves
// once. For each range of another process, one local rank adds up all local contributions and sends the
// sum to the owner; a gathered range enters a process once and is copied on to the other local ranks.
// Bytes between two processes, each way: reduce_scatter = the other's ranges, all_gather = own ranges.
//
// Order of sums: the ranks of a process in rank order, then the processes in order of their lowest rank.
// The same layout gives the same bits, and so do all layouts with one process or one rank a process.

#include "frenzy/base/tasks.hpp"
#include "frenzy/executor/exchange.hpp"
#include "frenzy/model/parameter_layout.hpp"

namespace frenzy::executor {

/// One collective of one rank. Memory is borrowed until `done` ran. `kernels` does the sums.
struct CollectiveCall {
  Exchange* exchange = nullptr;
  Kernels* kernels = nullptr;
  Tasks* tasks = nullptr;  ///< the collective stream: sums and `done` run there
  Rank rank;
  ExchangeTag tag;
  std::span<const model::ElementRange> ranges;  ///< one a rank, in elements of `data`
  std::uint64_t element_bytes = 4;
  MutableBytes data;
};

/// Own range of data becomes the sum over ranks; the rest of data is undefined afterwards.
/// `inbox` holds (ranks - 1) x own range; of it, (processes - 1) x own range are used.
void reduce_scatter(const CollectiveCall& call, MutableBytes inbox, ExchangeDone done);

/// Every range of data becomes its owner's.
void all_gather(const CollectiveCall& call, ExchangeDone done);

/// values[i] becomes the sum over ranks of values[i], added in rank order. `inbox` holds
/// ranks x values.
struct ScalarCall {
  Exchange* exchange = nullptr;
  Tasks* tasks = nullptr;
  Rank rank;
  std::uint32_t ranks = 1;
  ExchangeTag tag;
  std::span<double> values, inbox;
};
void all_reduce_scalars(const ScalarCall& call, ExchangeDone done);

}  // namespace frenzy::executor
