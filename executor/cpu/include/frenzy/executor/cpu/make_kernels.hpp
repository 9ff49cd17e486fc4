#pragma once
// The CPU's kernels for a scalar type.

#include <memory>

#include "frenzy/executor/cpu/cpu_kernels.hpp"

namespace frenzy::executor::cpu {

/// fp32: CpuKernels. fp64: the reference kernels, on one thread. Others: null, no CPU kernels exist.
[[nodiscard]] std::unique_ptr<Kernels> make_kernels(const model::ModelSpec& spec, model::Scalar scalar,
                                                    CpuOptions options);

}  // namespace frenzy::executor::cpu
