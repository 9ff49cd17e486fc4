#include "backends.hpp"

#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#ifdef FRENZY_HAS_CPU_KERNELS
#include "frenzy/executor/cpu/make_kernels.hpp"
#endif

namespace frenzy::executor::test {
namespace {

template <class T>
std::unique_ptr<Kernels> reference_kernels(const model::ModelSpec& spec) {
  return std::make_unique<cpu::reference::ReferenceKernels<T>>(spec);
}

}  // namespace

std::vector<Backend> backends() {
  std::vector<Backend> out{{"reference fp64", reference_kernels<double>},
                           {"reference fp32", reference_kernels<float>}};
#ifdef FRENZY_HAS_CPU_KERNELS
  out.push_back({"cpu fp32, 1 thread", [](const model::ModelSpec& spec) {
                   return cpu::make_kernels(spec, model::Scalar::fp32, {.threads = 1});
                 }});
  out.push_back({"cpu fp32, 2 threads", [](const model::ModelSpec& spec) {
                   return cpu::make_kernels(spec, model::Scalar::fp32, {.threads = 2});
                 }});
#endif
  return out;
}

}  // namespace frenzy::executor::test
