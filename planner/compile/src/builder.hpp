#pragma once
// Builder: appends buffers and instructions to a program. Private to compile.

#include <optional>
#include <string>
#include <vector>

#include "frenzy/program/kernel_catalogue.hpp"
#include "frenzy/program/program.hpp"

namespace frenzy::planner {

class Builder {
 public:
  explicit Builder(program::Program header) : program_(std::move(header)) {}

  BufferIndex buffer(std::string name, model::Part part, model::Scalar scalar, Bytes bytes,
                     program::Lifetime lifetime = program::Lifetime::step);
  /// Appends an instruction; uses of buffers without bytes are left out.
  program::Instruction& add(program::Opcode opcode, program::Stream stream,
                            std::vector<program::Use> uses);
  [[nodiscard]] const program::Program& program() const { return program_; }
  [[nodiscard]] program::Program take() { return std::move(program_); }

 private:
  program::Program program_;
};

/// Shorthand for operands.
[[nodiscard]] program::Use reads(BufferIndex buffer, program::Operand operand);
[[nodiscard]] program::Use writes(BufferIndex buffer, program::Operand operand);
[[nodiscard]] program::Use updates(BufferIndex buffer, program::Operand operand);

}  // namespace frenzy::planner
