#pragma once
// The header of a safetensors file: eight bytes of length, JSON that names tensors, then their
// bytes without holes. Files come from elsewhere, so a header is checked completely before anything
// in it is believed, and refusing one takes less than 1 MiB whatever it claims. Thread: any.

#include "frenzy/base/files.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"
#include "frenzy/model/scalar.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frenzy::executor::checkpoint {

struct HeaderLimits {
  Bytes header = 256_KiB;  ///< of the JSON; gpt2-xl needs 60 KiB
  std::size_t tensors = 2048;
  std::size_t metadata = 256;  ///< entries of __metadata__
  std::size_t string = 1024;   ///< bytes of a name or of a metadata value
  std::size_t rank = 8;
};

struct TensorEntry {
  std::string name;
  model::Scalar scalar = model::Scalar::fp32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< bytes, counted from SafetensorsHeader::data_start
  std::uint64_t end = 0;
  friend bool operator==(const TensorEntry&, const TensorEntry&) = default;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  ///< in the order of their bytes
  Metadata metadata;
  std::uint64_t data_start = 0;  ///< place of the first tensor byte in the file
};

/// `text` is the JSON without its length; `data_bytes` is what follows it. corrupt with the reason.
[[nodiscard]] Result<SafetensorsHeader> parse_header(std::string_view text,
                                                     std::uint64_t data_bytes,
                                                     const HeaderLimits& limits = {});

/// Reads and parses a file's header; errors begin with `name`.
[[nodiscard]] Result<SafetensorsHeader> read_header(const ReadableFile& file, std::string_view name,
                                                    const HeaderLimits& limits = {});

struct TensorShape {
  std::string name;
  model::Scalar scalar = model::Scalar::fp32;
  std::vector<std::uint64_t> shape;
};

/// Length and JSON of a file that holds `tensors` one after another; a multiple of 8 bytes. Names
/// are distinct.
[[nodiscard]] std::string header_text(std::span<const TensorShape> tensors,
                                      const Metadata& metadata);

}  // namespace frenzy::executor::checkpoint
