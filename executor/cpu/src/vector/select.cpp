#include "kernels.hpp"

namespace frenzy::executor::cpu {
namespace {

std::size_t rounded(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

}  // namespace

// Backward holds K^T, V^T, K, Q, dO and dQ of a whole head, and four tiles (see attention.inl).
std::size_t attention_scratch(std::size_t sequence, std::size_t head_size) {
  const auto rows = rounded(sequence, kTile), columns = rounded(head_size, kPad);
  return 6 * rows * columns + 2 * kTile * columns + 2 * kTile * kTile;
}

const VectorKernels& best_vector_kernels() {
#ifdef FRENZY_X86_VECTORS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return avx512_kernels();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_kernels();
#endif
  return portable_kernels();
}

}  // namespace frenzy::executor::cpu
