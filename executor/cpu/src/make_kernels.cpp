#include "frenzy/executor/cpu/make_kernels.hpp"

#include "frenzy/executor/cpu/reference/reference_kernels.hpp"

namespace frenzy::executor::cpu {

std::unique_ptr<Kernels> make_kernels(const model::ModelSpec& spec, model::Scalar scalar,
                                      CpuOptions options) {
  switch (scalar) {
    case model::Scalar::fp32: return std::make_unique<CpuKernels>(spec, options);
    case model::Scalar::fp64: return std::make_unique<reference::ReferenceKernels<double>>(spec);
    default: return nullptr;
  }
}

}  // namespace frenzy::executor::cpu
