#pragma once
// What the passes of CpuKernels work with: model offsets, threads, one Gemm a thread, vector loops,
// and the matrix products of a linear layer in terms of Gemm shapes.

#include <algorithm>
#include <memory>
#include <vector>

#include "frenzy/executor/block_view.hpp"
#include "frenzy/executor/cpu/cpu_kernels.hpp"
#include "gemm.hpp"
#include "thread_pool.hpp"
#include "vector/kernels.hpp"

namespace frenzy::executor::cpu {

struct Machine {
  Machine(const model::ModelSpec& spec, CpuOptions options);

  BlockViews views;
  ThreadPool pool;
  std::vector<std::unique_ptr<Gemm>> gemms;  ///< one a worker
  const VectorKernels& vector;
};

/// Scratch of a call behind the table's temporaries: one slice a worker, after `shared` bytes.
class Scratch {
 public:
  Scratch(const Machine& machine, MutableBytes workspace, Bytes temporaries, Bytes shared);
  [[nodiscard]] std::byte* shared() const { return base_; }
  [[nodiscard]] GemmScratch of(std::uint32_t worker) const {
    return {base_ + shared_ + worker * slice_, slice_};
  }

 private:
  std::byte* base_;
  std::size_t shared_, slice_ = 0;
};

/// Rows of activations that one worker takes at a time: a quarter, within bounds. It does not depend
/// on the number of threads: oneDNN orders its sums by the shape of a product, so the same rows in
/// other blocks can differ in the last bit.
[[nodiscard]] std::size_t row_block(std::size_t rows);
/// The same for rows of a weight gradient.
inline constexpr std::size_t kWeightRowBlock = 384;

/// work(begin, count, worker) over [0, total) in blocks of `step`.
template <class Work>
void for_blocks(ThreadPool& pool, std::size_t total, std::size_t step, const Work& work) {
  if (total == 0) return;
  pool.run((total + step - 1) / step, [&](std::size_t block, std::uint32_t worker) {
    const std::size_t begin = block * step;
    work(begin, std::min(step, total - begin), worker);
  });
}

/// Width of a linear layer's input and output.
struct Linear {
  std::size_t in, out;
};

/// y = x W^T for `rows` rows; W is out x in.
[[nodiscard]] GemmShape forward_product(Linear linear, std::size_t rows);
/// dx = dy W.
[[nodiscard]] GemmShape input_product(Linear linear, std::size_t rows);
/// dW += dy^T x for `outs` rows of dW and `rows` tokens.
[[nodiscard]] GemmShape weight_product(Linear linear, std::size_t outs, std::size_t rows);

/// dW += dy^T x and, unless d_bias is null, d_bias += column sums of dy.
void linear_backward_weight(Machine& machine, const Scratch& scratch, Linear linear, std::size_t rows,
                            float* d_weight, float* d_bias, const float* dy, const float* x);

/// Largest scratch of one worker for what `opcode` does with a linear layer.
[[nodiscard]] std::uint64_t linear_scratch(Machine& machine, program::Opcode opcode, Linear linear,
                                           std::size_t rows);
[[nodiscard]] Bytes layer_workspace(Machine& machine, program::Opcode opcode, program::MicroBatchShape shape);
[[nodiscard]] Bytes head_workspace(Machine& machine, program::Opcode opcode, program::MicroBatchShape shape);

void layer_forward(Machine& machine, const BlockCall& call);
void layer_backward_input(Machine& machine, const BlockCall& call);
void layer_backward_weight(Machine& machine, const BlockCall& call);
void head_forward(Machine& machine, const BlockCall& call);
void head_backward_input(Machine& machine, const BlockCall& call);
void head_backward_weight(Machine& machine, const BlockCall& call);
void embedding_forward(Machine& machine, const BlockCall& call);
void embedding_backward_weight(Machine& machine, const BlockCall& call);
void optimize(Machine& machine, const OptimizerCall& call);
[[nodiscard]] double squared_norm(Machine& machine, ConstBytes gradient);
void add(Machine& machine, MutableBytes into, ConstBytes from);

}  // namespace frenzy::executor::cpu
