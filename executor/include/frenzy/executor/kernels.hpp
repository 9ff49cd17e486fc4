#pragma once
// Kernels: the arithmetic of blocks and optimizer on one device's memory. One implementation per
// backend and scalar type: cpu/reference (plain, fp32 and fp64, the oracle) and cpu (fp32).
// Every pointer was sized and placed by the program; a kernel allocates nothing.

#include <cstddef>
#include <cstdint>
#include <span>

#include "frenzy/base/result.hpp"
#include "frenzy/model/model_spec.hpp"
#include "frenzy/model/recipe.hpp"
#include "frenzy/program/block_table.hpp"
#include "frenzy/program/kernel_catalogue.hpp"

namespace frenzy::executor {

using ConstBytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

/// Memory of one forward or backward call of one block on one micro-batch. What a call does not
/// need is empty. Layouts: program::block_table; activations are row-major tokens x hidden.
/// Gradients of parameters are always added to what is there.
struct BlockCall {
  model::BlockKind kind = model::BlockKind::layer;
  program::MicroBatchShape shape;
  std::uint32_t logit_rows = 1024;
  ConstBytes weights;                     ///< the block's flat parameters
  ConstBytes tied_weights;                ///< tied head: the embedding block's flat parameters
  std::span<const std::int32_t> tokens;   ///< embedding
  std::span<const std::int32_t> targets;  ///< head; -1 = position without loss
  ConstBytes input;                       ///< not for embedding
  MutableBytes output;                    ///< forward, not for head
  MutableBytes kept;                      ///< written by forward, read by backward
  MutableBytes logits;                    ///< head
  ConstBytes output_gradient;             ///< backward, not for head
  MutableBytes input_gradient;            ///< backward_input, not for embedding
  MutableBytes deferred;                  ///< backward_input -> backward_weight
  MutableBytes workspace;                 ///< temporaries of the table, then catalogue bytes
  MutableBytes weight_gradient;           ///< backward_weight
  MutableBytes tied_gradient;             ///< backward_weight of a tied head: embedding's gradient
  double* loss = nullptr;                 ///< head forward: sum of -log p over positions with loss
};

/// One optimizer update of a contiguous range of one block's flat state.
struct OptimizerCall {
  const model::Recipe* recipe = nullptr;
  double rate = 0.0;            ///< learning rate of this step
  std::uint64_t step = 1;       ///< t = 1, 2, ...
  double gradient_scale = 1.0;  ///< 1 / tokens, times the clip factor
  double weight_decay = 0.0;    ///< of this range: recipe's for decayed tensors, else 0
  MutableBytes weights, moment1, moment2;
  ConstBytes gradient;
};

/// Thread: one call at a time per object; kernel threads are the object's own.
class Kernels {
 public:
  virtual ~Kernels() = default;
  [[nodiscard]] virtual model::Scalar scalar() const = 0;

  virtual void forward(const BlockCall& call) = 0;
  /// forward that keeps nothing: `kept` is only workspace, head leaves no gradient behind.
  virtual void evaluate(const BlockCall& call) = 0;
  virtual void backward_input(const BlockCall& call) = 0;
  virtual void backward_weight(const BlockCall& call) = 0;

  virtual void optimize(const OptimizerCall& call) = 0;
  /// Sum of squares, accumulated in double in a fixed order.
  [[nodiscard]] virtual double squared_norm(ConstBytes gradient) = 0;
  /// into[i] += from[i]. Thread: any, also while another call runs; it uses the caller's thread only.
  virtual void add(MutableBytes into, ConstBytes from) = 0;

  /// Scratch bytes that this backend needs behind the table's temporaries.
  [[nodiscard]] virtual Bytes workspace(program::Opcode opcode, model::BlockKind kind,
                                        program::MicroBatchShape shape) const = 0;
  /// Thread-CPU time spent by kernel threads other than the caller, since the object was made.
  [[nodiscard]] virtual Seconds helper_cpu_time() const = 0;
};

}  // namespace frenzy::executor
