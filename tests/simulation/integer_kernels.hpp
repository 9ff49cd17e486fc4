#pragma once
// Kernels that compute in whole numbers. Every value is a small integer kept in fp32 or fp64, so sums
// are exact in any order, and every value is a hash of what it was made from: a sample that is lost or
// doubled, a stale parameter or a wrong offset changes the state and everything after it.
//
// Samples are computed one by one, so nothing depends on how a batch was cut. A gradient element is a
// sum over samples of numbers below 2^14; its square summed over a block stays below 2^53.

#include <memory>

#include "frenzy/executor/kernels.hpp"

namespace frenzy::simulation {

[[nodiscard]] Result<std::unique_ptr<executor::Kernels>> make_integer_kernels(const model::ModelSpec& spec,
                                                                              model::Scalar scalar,
                                                                              std::uint32_t threads);

}  // namespace frenzy::simulation
