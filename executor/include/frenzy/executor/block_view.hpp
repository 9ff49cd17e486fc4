#pragma once
// Typed pointers into the buffers of a BlockCall: which element of which buffer is which tensor.
// Offsets come from the parameter layout and the block tables alone, so all backends agree. Shapes:
// T = tokens, C = hidden, F = ffn, V = vocabulary; matrices are row-major (out, in).

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "frenzy/executor/kernels.hpp"
#include "frenzy/model/parameter_layout.hpp"

namespace frenzy::executor {

template <class T>
[[nodiscard]] T* elements(MutableBytes bytes) {
  return reinterpret_cast<T*>(bytes.data());
}
template <class T>
[[nodiscard]] const T* elements(ConstBytes bytes) {
  return reinterpret_cast<const T*>(bytes.data());
}

/// Parameters of a layer, or their gradients.
template <class T>
struct LayerParameters {
  T *norm1_weight, *norm1_bias;    ///< C
  T *qkv_weight, *qkv_bias;        ///< 3C x C, 3C: queries, keys, values
  T *project_weight, *project_bias;  ///< C x C, C
  T *norm2_weight, *norm2_bias;    ///< C
  T *expand_weight, *expand_bias;  ///< F x C, F
  T *contract_weight, *contract_bias;  ///< C x F, C
};

/// First elements of a layer's tensors in its flat state; the same for every layer.
struct LayerOffsets {
  std::uint64_t norm1_weight, norm1_bias, qkv_weight, qkv_bias, project_weight, project_bias,
      norm2_weight, norm2_bias, expand_weight, expand_bias, contract_weight, contract_bias;

  template <class T>
  [[nodiscard]] LayerParameters<T> at(T* base) const {
    return {base + norm1_weight, base + norm1_bias, base + qkv_weight, base + qkv_bias,
            base + project_weight, base + project_bias, base + norm2_weight, base + norm2_bias,
            base + expand_weight, base + expand_bias, base + contract_weight, base + contract_bias};
  }
};

template <class T>
struct LayerKept {
  T *mean1, *rstd1;  ///< T
  T* qkv;            ///< T x 3C
  T* attention;      ///< T x C
  T* row_statistic;  ///< samples x heads x sequence
  T* middle;         ///< T x C
  T *mean2, *rstd2;  ///< T
  T* preactivation;  ///< T x F

  [[nodiscard]] static LayerKept of(const program::BlockTable& table, MutableBytes bytes) {
    const auto at = [&](std::string_view name) {
      return elements<T>(bytes.subspan(table.kept.find(name).offset));
    };
    return {at("mean1"), at("rstd1"), at("qkv"), at("attention"), at("row_statistic"),
            at("middle"), at("mean2"), at("rstd2"), at("preactivation")};
  }
};

template <class T>
struct LayerDeferred {
  T* output;         ///< T x C, as are norm2, middle, norm1
  T* preactivation;  ///< T x F
  T* norm2;
  T* middle;
  T* qkv;  ///< T x 3C
  T* norm1;

  [[nodiscard]] static LayerDeferred of(const program::BlockTable& table, MutableBytes bytes) {
    const auto at = [&](std::string_view name) {
      return elements<T>(bytes.subspan(table.deferred.find(name).offset));
    };
    return {at("d_output"), at("d_preactivation"), at("d_norm2"),
            at("d_middle"), at("d_qkv"), at("d_norm1")};
  }
};

/// Temporaries of a layer; the last two exist in backward only.
template <class T>
struct LayerTemporaries {
  T* norm = nullptr;         ///< T x C
  T* activation = nullptr;   ///< T x F
  T* d_attention = nullptr;  ///< T x C
  T* row_dot = nullptr;      ///< samples x heads x sequence

  [[nodiscard]] static LayerTemporaries of(const program::SlotList& slots, MutableBytes bytes) {
    const auto at = [&](std::string_view name) {
      return slots.contains(name) ? elements<T>(bytes.subspan(slots.find(name).offset)) : nullptr;
    };
    return {at("norm"), at("activation"), at("d_attention"), at("row_dot")};
  }
};

template <class T>
struct HeadKept {
  T *mean, *rstd;  ///< T

  [[nodiscard]] static HeadKept of(const program::BlockTable& table, MutableBytes bytes) {
    return {elements<T>(bytes.subspan(table.kept.find("mean").offset)),
            elements<T>(bytes.subspan(table.kept.find("rstd").offset))};
  }
};

/// First elements of the tensors of embedding and head.
struct EdgeOffsets {
  std::uint64_t tokens = 0, positions = 0;    ///< embedding: V x C, positions x C
  std::uint64_t norm_weight = 0, norm_bias = 0;  ///< head: C
  std::uint64_t projection = 0;               ///< untied head: V x C
};

/// Offsets and tables of one model, looked up once. Thread: one at a time.
class BlockViews {
 public:
  BlockViews(const model::ModelSpec& spec, model::Scalar scalar);

  [[nodiscard]] const model::ModelSpec& spec() const { return spec_; }
  [[nodiscard]] const LayerOffsets& layer() const { return layer_; }
  [[nodiscard]] const EdgeOffsets& edges() const { return edges_; }
  [[nodiscard]] bool tied() const { return spec_.tying == model::Tying::tied; }
  /// Valid as long as this object.
  [[nodiscard]] const program::BlockTable& table(model::BlockKind kind, program::MicroBatchShape shape,
                                                 std::uint32_t logit_rows);
  [[nodiscard]] const program::BlockTable& table(const BlockCall& call) {
    return table(call.kind, call.shape, call.logit_rows);
  }

 private:
  using Key = std::tuple<model::BlockKind, program::MicroBatchShape, std::uint32_t>;
  model::ModelSpec spec_;
  model::Scalar scalar_;
  LayerOffsets layer_;
  EdgeOffsets edges_;
  std::map<Key, program::BlockTable> tables_;
};

}  // namespace frenzy::executor
