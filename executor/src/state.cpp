#include "frenzy/executor/state.hpp"

#include <array>
#include <cstring>

#include "frenzy/base/rng.hpp"

namespace frenzy::executor {
namespace {

using model::ElementRange;
using program::Operand;

constexpr std::array<Operand, 3> kOperands{Operand::weights, Operand::moment1, Operand::moment2};
constexpr BufferIndex kNone{UINT32_MAX};

std::size_t slot(Field field) { return static_cast<std::size_t>(field) - 1; }

template <class T>
void fill_initial(const model::TensorSpec& tensor, std::uint64_t seed, std::span<std::byte> bytes) {
  const auto key = random_key(seed, tensor.name);
  for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
    double value = 0.0;
    switch (tensor.initial.kind) {
      case model::InitialKind::zeros: break;
      case model::InitialKind::ones: value = 1.0; break;
      case model::InitialKind::normal: value = tensor.initial.deviation * counter_normal(key, i);
    }
    const auto element = static_cast<T>(value);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
}

}  // namespace

State::State(const program::PackedProgram& program, std::span<std::byte> arena)
    : program_(program), arena_(arena),
      buffers_(program.program.model.block_count(), {kNone, kNone, kNone}) {
  for (const auto& instruction : program.program.instructions) {
    for (const auto& use : instruction.uses) {
      for (std::size_t f = 0; f < kOperands.size(); ++f) {
        if (use.operand != kOperands[f] || instruction.opcode == program::Opcode::commit) continue;
        buffers_[instruction.block.value][f] = use.buffer;
      }
    }
  }
}

ElementRange State::held(BlockIndex block, Field field) const {
  const auto buffer = buffers_[block.value][slot(field)];
  if (buffer == kNone) return {};
  const auto width = size_of(program_.program.recipe.precision);
  const auto elements = program_.program.buffers[buffer.value].bytes.value / width;
  const auto own = program_.program.own_shard(block);
  // A buffer as long as the shard holds the shard; one as long as the block holds the block.
  if (field != Field::weights && elements == own.size()) return own;
  return {0, elements};
}

ElementRange State::owned(BlockIndex block, Field field) const {
  return held(block, field).empty() ? ElementRange{} : program_.program.own_shard(block);
}

std::span<std::byte> State::buffer(BlockIndex block, Field field) const {
  const auto index = buffers_[block.value][slot(field)];
  FRENZY_CHECK(index != kNone);
  return arena_.subspan(program_.offsets[index.value],
                        program_.program.buffers[index.value].bytes.value);
}

std::span<std::byte> State::bytes(BlockIndex block, Field field, ElementRange range) const {
  const auto have = held(block, field);
  FRENZY_CHECK(range.begin >= have.begin && range.end <= have.end && range.begin <= range.end);
  if (range.empty()) return {};
  const auto width = size_of(program_.program.recipe.precision);
  return buffer(block, field).subspan((range.begin - have.begin) * width, range.size() * width);
}

void State::initialise() {
  const auto layout = parameter_layout(program_.program.model);
  for (std::uint32_t b = 0; b < layout.size(); ++b) {
    for (const auto& tensor : layout[b].tensors) {
      const auto bytes = this->bytes({b}, Field::weights,
                                     {tensor.offset, tensor.offset + tensor.elements()});
      if (program_.program.recipe.precision == model::Scalar::fp64) {
        fill_initial<double>(tensor, program_.program.recipe.seed, bytes);
      } else {
        fill_initial<float>(tensor, program_.program.recipe.seed, bytes);
      }
    }
    for (const auto field : {Field::moment1, Field::moment2}) {
      const auto bytes = this->bytes({b}, field, held({b}, field));
      if (!bytes.empty()) std::memset(bytes.data(), 0, bytes.size());
    }
  }
}

}  // namespace frenzy::executor
