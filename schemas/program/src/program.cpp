#include "frenzy/program/program.hpp"

namespace frenzy::program {
namespace {

template <class T>
std::uint64_t number(T value) {
  return static_cast<std::uint64_t>(value);
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  static_assert(sizeof bits == sizeof value);
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

void add_model(Fingerprinter& hash, const model::ModelSpec& m) {
  for (const auto value : {number(m.family), number(m.layers), number(m.hidden), number(m.heads),
                           number(m.ffn), number(m.positions), number(m.vocabulary),
                           number(m.tying), bits_of(m.norm_epsilon)}) {
    hash.add(value);
  }
}

void add_recipe(Fingerprinter& hash, const model::Recipe& r) {
  for (const auto value :
       {number(r.steps), number(r.global_batch), number(r.sequence), number(r.optimizer),
        bits_of(r.learning_rate), bits_of(r.minimum_rate), number(r.schedule), number(r.warmup),
        bits_of(r.beta1), bits_of(r.beta2), bits_of(r.epsilon), bits_of(r.weight_decay),
        bits_of(r.clip), number(r.precision), bits_of(r.dropout), r.seed}) {
    hash.add(value);
  }
}

void add_instruction(Fingerprinter& hash, const Instruction& i) {
  for (const auto value : {number(i.opcode), number(i.stream), number(i.block.value),
                           number(i.micro_batch.value), number(i.peer.value), number(i.uses.size()),
                           number(i.after.size())}) {
    hash.add(value);
  }
  for (const auto& use : i.uses) {
    hash.add(number(use.buffer.value));
    hash.add(number(use.operand) << 8 | number(use.access));
  }
  for (const auto after : i.after) hash.add(number(after.value));
}

}  // namespace

Fingerprint fingerprint(const Program& program) {
  Fingerprinter hash;
  for (const auto value :
       {number(program.version), number(program.purpose), program.epoch.value,
        number(program.rank.value), number(program.ranks), number(program.sharding),
        number(program.logit_rows), number(program.micro_batches.size()),
        number(program.buffers.size()), number(program.instructions.size())}) {
    hash.add(value);
  }
  add_model(hash, program.model);
  add_recipe(hash, program.recipe);
  for (const auto& mb : program.micro_batches) {
    for (const auto value : {mb.shape.samples, mb.shape.sequence, mb.samples.begin, mb.samples.end}) {
      hash.add(number(value));
    }
  }
  for (const auto& block : program.shards) {
    for (const auto& range : block.ranges) {
      hash.add(range.begin);
      hash.add(range.end);
    }
  }
  for (const auto& buffer : program.buffers) {
    hash.add(buffer.name);
    hash.add(number(buffer.part) << 16 | number(buffer.scalar) << 8 | number(buffer.lifetime));
    hash.add(buffer.bytes.value);
  }
  for (const auto& instruction : program.instructions) add_instruction(hash, instruction);
  return hash.finish();
}

std::string describe(const Program& program) {
  std::string out;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const auto& instruction = program.instructions[i];
    out += format("{} {} {} block {} mb {}", i, name_of(instruction.stream),
                  name_of(instruction.opcode), instruction.block, instruction.micro_batch);
    for (const auto& use : instruction.uses) {
      const auto* mark = use.access == Access::read ? "" : use.access == Access::write ? "=" : "+=";
      out += format(" {}{}[{}]", name_of(use.operand), mark, use.buffer);
    }
    out += '\n';
  }
  return out;
}

}  // namespace frenzy::program
