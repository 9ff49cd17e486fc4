#pragma once
// Block tables: what each block's forward and backward reads, writes and keeps, in bytes and flops,
// for every backend alike. A kernel finds its tensors inside a buffer through the same table that
// sized the buffer. Attention keeps row statistics, never a T x T matrix.

#include <cstdint>
#include <string_view>
#include <vector>

#include "frenzy/base/units.hpp"
#include "frenzy/model/model_spec.hpp"
#include "frenzy/model/scalar.hpp"

namespace frenzy::program {

/// Every tensor inside a buffer starts at a multiple of this.
inline constexpr std::uint64_t kTensorAlignment = 64;

struct MicroBatchShape {
  std::uint32_t samples = 0;
  std::uint32_t sequence = 0;
  [[nodiscard]] std::uint64_t tokens() const { return std::uint64_t{samples} * sequence; }
  friend auto operator<=>(const MicroBatchShape&, const MicroBatchShape&) = default;
};

struct TensorSlot {
  std::string_view name;      ///< static text
  std::uint64_t offset = 0;   ///< bytes from the start of its buffer
  std::uint64_t elements = 0; ///< of the table's scalar type
};

/// Tensors laid out one behind another in one buffer.
struct SlotList {
  std::vector<TensorSlot> slots;
  Bytes bytes{};
  /// The slot must exist.
  [[nodiscard]] const TensorSlot& find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const;
};

struct BlockTable {
  Bytes parameters{};       ///< block's own flat state, unpadded
  Bytes boundary{};         ///< activation in and out: tokens x hidden; the same for its gradient
  SlotList kept;            ///< written by forward, read by both halves of backward
  Bytes logits{};           ///< head only: min(tokens, logit_rows) x vocabulary
  SlotList forward_temporaries;
  SlotList backward_temporaries;
  SlotList deferred;        ///< written by backward_input, read by backward_weight
  Flops forward{}, backward_input{}, backward_weight{};
};

/// Layout for GPT-2 (T = tokens, C = hidden, H = heads, F = ffn, V = vocabulary):
///  layer kept: "mean1" T, "rstd1" T, "qkv" T x 3C, "attention" T x C, "row_statistic" samples x H x sequence
///              (log-sum-exp of the scaled scores), "middle" T x C (residual after attention),
///              "mean2" T, "rstd2" T, "preactivation" T x F
///  layer deferred: "d_output" T x C, "d_preactivation" T x F, "d_norm2" T x C, "d_middle" T x C,
///              "d_qkv" T x 3C, "d_norm1" T x C
///  head kept:  "mean" T, "rstd" T;   head deferred: "d_norm" T x C
/// When tokens <= logit_rows the head's logits buffer lives from forward (which leaves the gradient of
/// the logits in it) to the end of backward; otherwise forward and backward each go through it in
/// pieces of logit_rows rows, and backward computes the logits again.
[[nodiscard]] BlockTable block_table(const model::ModelSpec& spec, model::BlockKind kind,
                                     MicroBatchShape shape, std::uint32_t logit_rows,
                                     model::Scalar scalar);

/// Rows of the head's logits buffer.
[[nodiscard]] std::uint64_t logit_buffer_rows(MicroBatchShape shape, std::uint32_t logit_rows);

}  // namespace frenzy::program
