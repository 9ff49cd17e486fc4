#include "builder.hpp"

#include <algorithm>

namespace frenzy::planner {

using program::Access;

BufferIndex Builder::buffer(std::string name, model::Part part, model::Scalar scalar, Bytes bytes,
                            program::Lifetime lifetime) {
  program_.buffers.push_back({std::move(name), part, scalar, lifetime, bytes});
  return {static_cast<std::uint32_t>(program_.buffers.size() - 1)};
}

program::Instruction& Builder::add(program::Opcode opcode, program::Stream stream,
                                   std::vector<program::Use> uses) {
  std::erase_if(uses, [&](const auto& use) {
    return program_.buffers[use.buffer.value].bytes == Bytes{};
  });
  auto& instruction = program_.instructions.emplace_back();
  instruction.opcode = opcode;
  instruction.stream = stream;
  instruction.uses = std::move(uses);
  return instruction;
}

program::Use reads(BufferIndex buffer, program::Operand operand) {
  return {buffer, operand, Access::read};
}
program::Use writes(BufferIndex buffer, program::Operand operand) {
  return {buffer, operand, Access::write};
}
program::Use updates(BufferIndex buffer, program::Operand operand) {
  return {buffer, operand, Access::read_write};
}

}  // namespace frenzy::planner
