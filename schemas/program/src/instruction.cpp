#include "frenzy/program/instruction.hpp"

#include <array>

namespace frenzy::program {
namespace {

constexpr std::array<std::string_view, 25> kOpcodes{
    "?",        "load",      "zero",       "count",           "forward",
    "evaluate", "backward",  "backward_input", "backward_weight", "recompute",
    "send_activation", "recv_activation", "send_gradient", "recv_gradient", "gather",
    "release",  "reduce",    "norm",       "step",            "commit",
    "skip",     "read_state", "write_state", "offload",       "prefetch"};
constexpr std::array<std::string_view, kStreams> kStreamNames{
    "compute", "collective", "point-to-point", "copy-in", "copy-out"};
constexpr std::array<std::string_view, 19> kOperands{
    "?",        "weights",   "tied_weights",    "tokens",          "targets",
    "input",    "output",    "kept",            "logits",          "output_gradient",
    "input_gradient", "deferred", "workspace",  "weight_gradient", "tied_gradient",
    "moment1",  "moment2",   "inbox",           "losses"};

}  // namespace

const Use* Instruction::find(Operand operand) const {
  for (const auto& use : uses) {
    if (use.operand == operand) return &use;
  }
  return nullptr;
}

std::string_view name_of(Opcode opcode) { return kOpcodes.at(static_cast<std::size_t>(opcode)); }
std::string_view name_of(Stream stream) { return kStreamNames.at(static_cast<std::size_t>(stream)); }
std::string_view name_of(Operand operand) {
  return operand == Operand::scalars ? "scalars" : kOperands.at(static_cast<std::size_t>(operand));
}

}  // namespace frenzy::program
