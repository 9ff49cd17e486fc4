#pragma once
// CpuKernels: GPT-2's blocks and the optimizers in fp32 on the threads of one CPU device. Big matrix
// products are oneDNN's (or the plain fallback's), everything else is vectorised here. Results have
// the same bits whatever the number of threads. Activations never leave the caller's buffers; all
// scratch is the call's workspace.

#include <cstdint>
#include <memory>

#include "frenzy/executor/kernels.hpp"

namespace frenzy::executor::cpu {

struct CpuOptions {
  std::uint32_t threads = 1;  ///< of one device; devices of a machine share its cores
};

struct Machine;

/// Thread: one call at a time; helpers (threads - 1 of them) live as long as the object.
class CpuKernels final : public Kernels {
 public:
  CpuKernels(const model::ModelSpec& spec, CpuOptions options);
  ~CpuKernels() override;
  CpuKernels(const CpuKernels&) = delete;
  CpuKernels& operator=(const CpuKernels&) = delete;
  CpuKernels(CpuKernels&&) = delete;
  CpuKernels& operator=(CpuKernels&&) = delete;

  [[nodiscard]] model::Scalar scalar() const override { return model::Scalar::fp32; }
  void forward(const BlockCall& call) override;
  void evaluate(const BlockCall& call) override;
  void backward_input(const BlockCall& call) override;
  void backward_weight(const BlockCall& call) override;
  void optimize(const OptimizerCall& call) override;
  [[nodiscard]] double squared_norm(ConstBytes gradient) override;
  void add(MutableBytes into, ConstBytes from) override;
  /// For a head: what logit_rows of 1024 and of all tokens need; with others oneDNN may bring scratch
  /// of its own for a product that needs more.
  [[nodiscard]] Bytes workspace(program::Opcode opcode, model::BlockKind kind,
                                program::MicroBatchShape shape) const override;
  [[nodiscard]] Seconds helper_cpu_time() const override;

 private:
  std::unique_ptr<Machine> machine_;
};

}  // namespace frenzy::executor::cpu
