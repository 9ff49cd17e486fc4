#include "frenzy/executor/cpu/cpu_kernels.hpp"

#include "machine.hpp"

namespace frenzy::executor::cpu {

CpuKernels::CpuKernels(const model::ModelSpec& spec, CpuOptions options)
    : machine_(std::make_unique<Machine>(spec, options)) {}

CpuKernels::~CpuKernels() = default;

void CpuKernels::forward(const BlockCall& call) {
  switch (call.kind) {
    case model::BlockKind::embedding: return embedding_forward(*machine_, call);
    case model::BlockKind::layer: return layer_forward(*machine_, call);
    case model::BlockKind::head: return head_forward(*machine_, call);
  }
}

void CpuKernels::evaluate(const BlockCall& call) { forward(call); }

void CpuKernels::backward_input(const BlockCall& call) {
  switch (call.kind) {
    case model::BlockKind::embedding: return;
    case model::BlockKind::layer: return layer_backward_input(*machine_, call);
    case model::BlockKind::head: return head_backward_input(*machine_, call);
  }
}

void CpuKernels::backward_weight(const BlockCall& call) {
  switch (call.kind) {
    case model::BlockKind::embedding: return embedding_backward_weight(*machine_, call);
    case model::BlockKind::layer: return layer_backward_weight(*machine_, call);
    case model::BlockKind::head: return head_backward_weight(*machine_, call);
  }
}

void CpuKernels::optimize(const OptimizerCall& call) { cpu::optimize(*machine_, call); }

double CpuKernels::squared_norm(ConstBytes gradient) { return cpu::squared_norm(*machine_, gradient); }

void CpuKernels::add(MutableBytes into, ConstBytes from) { cpu::add(*machine_, into, from); }

Bytes CpuKernels::workspace(program::Opcode opcode, model::BlockKind kind,
                            program::MicroBatchShape shape) const {
  using program::Opcode;
  switch (opcode) {
    case Opcode::forward:
    case Opcode::evaluate:
    case Opcode::backward_input:
    case Opcode::backward_weight: break;
    case Opcode::recompute: return workspace(Opcode::forward, kind, shape);
    case Opcode::backward:
      return std::max(workspace(Opcode::backward_input, kind, shape),
                      workspace(Opcode::backward_weight, kind, shape));
    default: return {};
  }
  if (shape.tokens() == 0) return {};
  switch (kind) {
    case model::BlockKind::embedding: return {};
    case model::BlockKind::layer: return layer_workspace(*machine_, opcode, shape);
    case model::BlockKind::head: return head_workspace(*machine_, opcode, shape);
  }
  return {};
}

Seconds CpuKernels::helper_cpu_time() const { return machine_->pool.helper_cpu_time(); }

}  // namespace frenzy::executor::cpu
