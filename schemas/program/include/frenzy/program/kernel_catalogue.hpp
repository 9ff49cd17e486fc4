#pragma once
// KernelCatalogue: scratch bytes that a backend's kernels need beyond the block tables, by
// operation, block kind, shape, scalar and threads. A backend fills it at calibration; the pure
// compile takes it as an input. A key that is missing needs nothing (the reference kernels).

#include <compare>
#include <map>

#include "frenzy/base/hash.hpp"
#include "frenzy/program/block_table.hpp"
#include "frenzy/program/instruction.hpp"

namespace frenzy::program {

struct KernelKey {
  Opcode opcode = Opcode::forward;
  model::BlockKind kind = model::BlockKind::layer;
  MicroBatchShape shape;
  model::Scalar scalar = model::Scalar::fp32;
  std::uint32_t threads = 1;
  friend auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

class KernelCatalogue {
 public:
  void set(const KernelKey& key, Bytes workspace) { entries_[key] = workspace; }
  [[nodiscard]] Bytes workspace(const KernelKey& key) const;
  [[nodiscard]] const std::map<KernelKey, Bytes>& entries() const { return entries_; }
  friend bool operator==(const KernelCatalogue&, const KernelCatalogue&) = default;

 private:
  std::map<KernelKey, Bytes> entries_;
};

}  // namespace frenzy::program
