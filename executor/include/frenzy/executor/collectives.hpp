#pragma once
// Collectives over uneven ranges. Direct exchange: every rank sends each other rank its range.
// Bytes sent a rank: reduce_scatter = whole - own, all_gather = own x (n-1); messages: n-1 each.
// Sums are made in rank order 0..n-1, so every run and every layout of ranks gives the same bits.

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
/// `inbox` holds (ranks - 1) x own range.
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
