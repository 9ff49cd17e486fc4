#define FRENZY_VECTOR_BYTES 64
#include "table.inl"

namespace frenzy::executor::cpu {

const VectorKernels& avx512_kernels() {
  static constexpr VectorKernels kTable = table("avx512");
  return kTable;
}

}  // namespace frenzy::executor::cpu
