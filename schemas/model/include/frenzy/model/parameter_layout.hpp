#pragma once
// The flat state of each block: which tensors it holds, in which order, shape (out, in), decay and
// initialiser. State is addressed by (block, field, element range); ranges are logical and unpadded.
// Names are Hugging Face's. GPT-2 files store projections as Conv1D (in, out): `conv1d` says that
// import and export transpose; in memory every matrix is row-major (out, in).

#include <cstdint>
#include <string>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/model/model_spec.hpp"

namespace frenzy::model {

enum class Decay : std::uint8_t { yes = 1, no = 2 };
enum class InitialKind : std::uint8_t { zeros = 1, ones = 2, normal = 3 };
enum class FileOrder : std::uint8_t { as_stored = 1, conv1d = 2 };

struct Initial {
  InitialKind kind = InitialKind::zeros;
  double deviation = 0.0;  ///< of a normal with mean 0
  friend bool operator==(const Initial&, const Initial&) = default;
};

struct TensorSpec {
  std::string name;
  std::uint64_t rows = 0;      ///< out
  std::uint64_t columns = 1;   ///< in; 1 for a vector
  std::uint64_t offset = 0;    ///< first element in the block's flat state
  Decay decay = Decay::no;     ///< yes for tensors with two dimensions
  Initial initial;
  FileOrder file_order = FileOrder::as_stored;
  bool is_vector = false;

  [[nodiscard]] std::uint64_t elements() const { return rows * columns; }
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

struct BlockLayout {
  BlockKind kind = BlockKind::layer;
  std::vector<TensorSpec> tensors;
  std::uint64_t elements = 0;

  /// The tensor whose name ends in `suffix`; exactly one must.
  [[nodiscard]] const TensorSpec& find(std::string_view suffix) const;
};

/// One entry a block, in order.
[[nodiscard]] std::vector<BlockLayout> parameter_layout(const ModelSpec& spec);

[[nodiscard]] std::uint64_t parameter_count(const ModelSpec& spec);

/// A half-open range of elements of a block's flat state.
struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] bool empty() const { return begin == end; }
  friend auto operator<=>(const ElementRange&, const ElementRange&) = default;
};

/// Value of one element before the first step: a pure function of (seed, tensor name, element), so it
/// depends on no layout, plan or device. `element` counts inside the tensor, row-major (out, in).
[[nodiscard]] double initial_value(const TensorSpec& tensor, std::uint64_t seed,
                                   std::uint64_t element);

}  // namespace frenzy::model
