#pragma once
// A whole model on one Kernels object: buffers from the block tables, forward, backward, optimizer.
// Unless told otherwise scratch and kept buffers are NaN before every use: a read before a write shows.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "frenzy/executor/kernels.hpp"
#include "frenzy/model/parameter_layout.hpp"

namespace frenzy::executor::test {

/// Bytes at a 64-byte boundary.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::uint64_t bytes) : size_(bytes), storage_(bytes + 64) {}
  [[nodiscard]] MutableBytes bytes();
  void fill_nan();
  void fill_zero();

 private:
  std::uint64_t size_ = 0;
  std::vector<std::byte> storage_;
};

/// Elements of `bytes` as double, and back.
[[nodiscard]] std::vector<double> to_doubles(ConstBytes bytes, model::Scalar scalar);
void from_doubles(MutableBytes bytes, model::Scalar scalar, std::span<const double> values);

struct Batch {
  program::MicroBatchShape shape;
  std::vector<std::int32_t> tokens, targets;
};

/// Uniform tokens; about one target in `skip_one_in` is -1 (0: none).
[[nodiscard]] Batch random_batch(const model::ModelSpec& spec, program::MicroBatchShape shape,
                                 std::uint64_t seed, std::uint64_t skip_one_in);

/// yes: buffers are filled with NaN before every use. no: for timing.
enum class Poison : bool { no, yes };

class ModelRun {
 public:
  ModelRun(const model::ModelSpec& spec, Kernels& kernels, std::uint32_t logit_rows,
           Poison poison = Poison::yes);

  [[nodiscard]] std::size_t blocks() const { return weights_.size(); }
  [[nodiscard]] const std::vector<model::BlockLayout>& layout() const { return layout_; }
  void set_weights(std::size_t block, std::span<const double> values);
  /// Normal values of `deviation` around the tensors' initial 0 or 1.
  void randomise(std::uint64_t seed, double deviation);
  [[nodiscard]] std::vector<double> weights(std::size_t block) const;
  [[nodiscard]] std::vector<double> gradient(std::size_t block) const;
  /// Gradient of the input of block `block`, 1 or more, after backward().
  [[nodiscard]] std::vector<double> input_gradient(std::size_t block) const;
  [[nodiscard]] std::vector<double> activation(std::size_t block) const;

  /// Sum of -log p.
  double forward(const Batch& batch);
  double evaluate(const Batch& batch);
  /// Adds to the gradients; weight halves run after all input halves when `split`.
  enum class Halves { together, split };
  void backward(const Batch& batch, Halves halves);
  void zero_gradients();
  [[nodiscard]] double gradient_norm();
  void optimize(const model::Recipe& recipe, double rate, std::uint64_t step, double gradient_scale);

 private:
  struct BlockBuffers {
    Buffer output, kept, logits, input_gradient, deferred;
  };
  void allocate(const Batch& batch);
  [[nodiscard]] BlockCall call(std::size_t block, const Batch& batch, program::Opcode opcode);
  double run_forward(const Batch& batch, program::Opcode opcode);
  [[nodiscard]] model::BlockKind kind(std::size_t block) const;

  model::ModelSpec spec_;
  Kernels& kernels_;
  std::uint32_t logit_rows_;
  Poison poison_;
  std::vector<model::BlockLayout> layout_;
  mutable std::vector<Buffer> weights_, gradients_, moment1_, moment2_;
  mutable std::vector<BlockBuffers> buffers_;
  Buffer workspace_;
  program::MicroBatchShape allocated_;
};

}  // namespace frenzy::executor::test
