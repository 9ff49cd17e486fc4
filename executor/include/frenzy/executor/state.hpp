#pragma once
// State of one device's program inside its arena: parameters and moments by (block, field, range),
// whatever the sharding. The only place that knows where a field lies.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/model/field.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::executor {

using model::Field;

class State {
 public:
  /// Both outlive the State.
  State(const program::PackedProgram& program, std::span<std::byte> arena);

  [[nodiscard]] std::uint32_t blocks() const { return program_.program.model.block_count(); }
  [[nodiscard]] model::Scalar scalar() const { return program_.program.recipe.precision; }
  /// What this device holds of a field: the whole block, or its shard. Moments of an optimizer that
  /// has none are empty.
  [[nodiscard]] model::ElementRange held(BlockIndex block, Field field) const;
  /// What this device owns, and therefore saves: its shard.
  [[nodiscard]] model::ElementRange owned(BlockIndex block, Field field) const;
  /// Bytes of a range, which must lie inside `held`.
  [[nodiscard]] std::span<std::byte> bytes(BlockIndex block, Field field,
                                           model::ElementRange range) const;

  /// Initial parameters (a function of the recipe's seed alone), zero moments.
  void initialise();

 private:
  [[nodiscard]] std::span<std::byte> buffer(BlockIndex block, Field field) const;

  const program::PackedProgram& program_;
  std::span<std::byte> arena_;
  std::vector<std::array<BufferIndex, 3>> buffers_;  // [block][field]
};

}  // namespace frenzy::executor
