#define FRENZY_VECTOR_BYTES 16
#include "table.inl"

namespace frenzy::executor::cpu {

const VectorKernels& portable_kernels() {
  static constexpr VectorKernels kTable = table("portable");
  return kTable;
}

}  // namespace frenzy::executor::cpu
