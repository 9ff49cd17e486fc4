#pragma once
// Single-threaded fp32 matrix products on strided row-major arrays: C = op(A) op(B), or C += it.
// oneDNN does the work where it is found; the plain one is the fallback and the oracle of its tests.
// Splitting rows of C over calls must not change bits; K is never split.

#include <compare>
#include <cstddef>
#include <memory>

#include "frenzy/base/units.hpp"

namespace frenzy::executor::cpu {

enum class Transpose : bool { no, yes };
enum class Accumulate : bool { no, yes };

/// C is m x n, op(A) m x k, op(B) k x n. A leading dimension is the distance in elements between
/// stored rows; a transposed operand is stored k x m or n x k.
struct GemmShape {
  std::size_t m = 0, n = 0, k = 0;
  std::size_t a_stride = 0, b_stride = 0, c_stride = 0;
  Transpose a = Transpose::no, b = Transpose::no;
  Accumulate accumulate = Accumulate::no;
  friend auto operator<=>(const GemmShape&, const GemmShape&) = default;
};

struct GemmScratch {
  std::byte* data = nullptr;  ///< 64-byte aligned
  std::size_t size = 0;
};

/// Thread: one at a time; objects are independent.
class Gemm {
 public:
  virtual ~Gemm() = default;
  virtual void run(const GemmShape& shape, float* c, const float* a, const float* b,
                   GemmScratch scratch) = 0;
  /// Scratch that `run` uses. With less, oneDNN brings its own, outside the caller's memory.
  [[nodiscard]] virtual Bytes scratch_bytes(const GemmShape& shape) = 0;
};

[[nodiscard]] std::unique_ptr<Gemm> make_plain_gemm();
/// Null if this build has no oneDNN.
[[nodiscard]] std::unique_ptr<Gemm> make_onednn_gemm();
/// oneDNN, else plain.
[[nodiscard]] std::unique_ptr<Gemm> make_gemm();

}  // namespace frenzy::executor::cpu
