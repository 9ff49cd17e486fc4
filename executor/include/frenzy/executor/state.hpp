#pragma once
// State of one device's program inside its arena: parameters and moments by (block, field, range),
// whatever the sharding. The only place that knows where a field lies.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::executor {

enum class Field : std::uint8_t { weights = 1, moment1 = 2, moment2 = 3 };
[[nodiscard]] std::string_view name_of(Field field);

class State {
 public:
  /// Both outlive the State.
  State(const program::PackedProgram& program, std::span<std::byte> arena);

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
