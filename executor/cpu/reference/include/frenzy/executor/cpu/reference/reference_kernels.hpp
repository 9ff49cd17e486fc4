#pragma once
// ReferenceKernels: the plainest code that computes GPT-2's blocks and the optimizers, one thread, no
// package. It is the oracle of every faster backend and, in double, the device of the equality proofs.
// Sums run in index order, so a sample's results do not depend on the other samples of its call.

#include "frenzy/executor/block_view.hpp"
#include "frenzy/executor/kernels.hpp"

namespace frenzy::executor::cpu::reference {

/// T: float or double. Thread: one call at a time.
template <class T>
class ReferenceKernels final : public Kernels {
 public:
  explicit ReferenceKernels(const model::ModelSpec& spec);

  [[nodiscard]] model::Scalar scalar() const override;
  void forward(const BlockCall& call) override;
  void evaluate(const BlockCall& call) override;
  void backward_input(const BlockCall& call) override;
  void backward_weight(const BlockCall& call) override;
  void optimize(const OptimizerCall& call) override;
  [[nodiscard]] double squared_norm(ConstBytes gradient) override;
  void add(MutableBytes into, ConstBytes from) override;
  [[nodiscard]] Bytes workspace(program::Opcode opcode, model::BlockKind kind,
                                program::MicroBatchShape shape) const override;
  [[nodiscard]] Seconds helper_cpu_time() const override;

 private:
  BlockViews views_;
};

extern template class ReferenceKernels<float>;
extern template class ReferenceKernels<double>;

}  // namespace frenzy::executor::cpu::reference
