#define FRENZY_VECTOR_BYTES 32
#include "table.inl"

namespace frenzy::executor::cpu {

const VectorKernels& avx2_kernels() {
  static constexpr VectorKernels kTable = table("avx2");
  return kTable;
}

}  // namespace frenzy::executor::cpu
