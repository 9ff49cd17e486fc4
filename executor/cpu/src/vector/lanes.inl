// Vectors of FRENZY_VECTOR_BYTES by the compilers' vector extension, with whole and partial loads.
// Included once a variant, everything in an unnamed namespace and free of library templates: an
// inline function shared with other files could be linked in from the widest variant.

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"

namespace frenzy::executor::cpu {
namespace {

using Lanes = float __attribute__((vector_size(FRENZY_VECTOR_BYTES)));
using IntLanes = std::int32_t __attribute__((vector_size(FRENZY_VECTOR_BYTES)));
constexpr std::size_t kLanes = FRENZY_VECTOR_BYTES / sizeof(float);

inline Lanes load(const float* p) {
  Lanes value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
inline void store(float* p, Lanes value) { __builtin_memcpy(p, &value, sizeof value); }
inline Lanes splat(float value) { return value - Lanes{}; }
inline std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }
inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

/// Access to a whole vector, or to the first `count` elements of one, the others reading as 0.
struct Whole {
  [[nodiscard]] Lanes get(const float* p) const { return load(p); }
  void put(float* p, Lanes value) const { store(p, value); }
  [[nodiscard]] Lanes only(Lanes value) const { return value; }
};
struct Part {
  std::size_t count;
  [[nodiscard]] Lanes get(const float* p) const {
    Lanes value{};
    __builtin_memcpy(&value, p, count * sizeof(float));
    return value;
  }
  void put(float* p, Lanes value) const { __builtin_memcpy(p, &value, count * sizeof(float)); }
  /// Zero outside the part.
  [[nodiscard]] Lanes only(Lanes value) const {
    Lanes out{};
    __builtin_memcpy(&out, &value, count * sizeof(float));
    return out;
  }
};

/// body(first element, access) over [0, count).
template <class Body>
inline void for_lanes(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(i, Whole{});
  if (i < count) body(i, Part{count - i});
}

inline float sum_of(Lanes value) {
  float sum = 0.0F;
  for (std::size_t i = 0; i < kLanes; ++i) sum += value[i];
  return sum;
}
inline float largest_of(Lanes value) {
  float largest = value[0];
  for (std::size_t i = 1; i < kLanes; ++i) largest = value[i] > largest ? value[i] : largest;
  return largest;
}

inline Lanes square_root(Lanes x) {
  Lanes out;
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = __builtin_sqrtf(x[i]);
  return out;
}

/// e^x to 2 ulp (Cephes expf: x = n ln 2 + r, |r| <= ln 2 / 2, degree-5 polynomial); 0 below -87.3,
/// e^88.3 above 88.3.
inline Lanes exp(Lanes x) {
  const Lanes low = splat(-87.3F), high = splat(88.3F), magic = splat(12582912.0F);
  const Lanes bounded = x < low ? low : (x > high ? high : x);
  const Lanes shifted = bounded * 1.44269504F + magic;  // nearest integer in the low mantissa bits
  const Lanes n = shifted - magic;
  const Lanes r = bounded - n * 0.693359375F + n * 2.12194440e-4F;
  Lanes p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const Lanes scaled =
      reinterpret_cast<Lanes>(reinterpret_cast<IntLanes>(p) + (reinterpret_cast<IntLanes>(shifted) << 23));
  return x < low ? Lanes{} : scaled;
}

}  // namespace
}  // namespace frenzy::executor::cpu
