#include "frenzy/executor/checkpoint/safetensors.hpp"

#include "json.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace frenzy::executor::checkpoint {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

constexpr std::array<std::pair<std::string_view, model::Scalar>, 6> kTypes{
    {{"F64", model::Scalar::fp64},
     {"F32", model::Scalar::fp32},
     {"F16", model::Scalar::fp16},
     {"BF16", model::Scalar::bf16},
     {"I32", model::Scalar::int32},
     {"U8", model::Scalar::byte}}};

std::optional<model::Scalar> scalar_named(std::string_view name) {
  for (const auto& [text, scalar] : kTypes) {
    if (text == name) return scalar;
  }
  return std::nullopt;
}

std::string_view type_name(model::Scalar scalar) {
  for (const auto& [text, value] : kTypes) {
    if (value == scalar) return text;
  }
  return "U8";
}

/// Bytes of a tensor; nothing if they do not fit 64 bits.
std::optional<std::uint64_t> bytes_of_shape(std::span<const std::uint64_t> shape,
                                            model::Scalar scalar) {
  auto bytes = model::size_of(scalar);
  for (const auto size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes;
}

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const HeaderLimits& limits)
      : json_(text, limits.string), limits_(limits) {}

  Result<SafetensorsHeader> parse() {
    json_.object([&](const std::string& key) {
      if (key == "__metadata__") return read_metadata();
      read_tensor(key);
    });
    json_.finish();
    if (json_.failed()) return error(Errc::corrupt, "{}", json_.reason());
    return std::move(out_);
  }

 private:
  void read_metadata() {
    json_.object([&](const std::string& key) {
      out_.metadata.emplace_back(key, json_.string());
      if (out_.metadata.size() > limits_.metadata) {
        json_.fail(format("more than {} metadata entries", limits_.metadata));
      }
    });
  }

  void read_tensor(const std::string& name) {
    TensorEntry tensor;
    tensor.name = name;
    unsigned seen = 0;
    json_.object([&](const std::string& key) {
      if (key == "dtype") {
        read_type(tensor);
        seen |= 1U;
      } else if (key == "shape") {
        read_shape(tensor);
        seen |= 2U;
      } else if (key == "data_offsets") {
        read_offsets(tensor);
        seen |= 4U;
      } else {
        json_.fail(format("unknown key '{}' of a tensor", printable(key, 64)));
      }
    });
    if (seen != 7U) json_.fail("a tensor without dtype, shape or data_offsets");
    if (json_.failed()) return;
    if (out_.tensors.size() == limits_.tensors) {
      return json_.fail(format("more than {} tensors", limits_.tensors));
    }
    out_.tensors.push_back(std::move(tensor));
  }

  void read_type(TensorEntry& tensor) {
    const auto text = json_.string();
    const auto scalar = scalar_named(text);
    if (scalar) {
      tensor.scalar = *scalar;
    } else {
      json_.fail(format("unknown dtype '{}' of tensor '{}'", printable(text, 16),
                        printable(tensor.name, 64)));
    }
  }

  void read_shape(TensorEntry& tensor) {
    json_.array([&] {
      tensor.shape.push_back(json_.unsigned_integer());
      if (tensor.shape.size() > limits_.rank) {
        json_.fail(format("more than {} dimensions", limits_.rank));
      }
    });
  }

  void read_offsets(TensorEntry& tensor) {
    std::array<std::uint64_t, 2> offsets{};
    std::size_t count = 0;
    json_.array([&] {
      const auto value = json_.unsigned_integer();
      if (count == 2) return json_.fail("more than two data_offsets");
      offsets[count++] = value;
    });
    if (count != 2) json_.fail("fewer than two data_offsets");
    tensor.begin = offsets[0];
    tensor.end = offsets[1];
  }

  JsonReader json_;
  const HeaderLimits& limits_;
  SafetensorsHeader out_;
};

Status check_extent(const TensorEntry& tensor, std::uint64_t data_bytes) {
  const auto name = printable(tensor.name, 64);
  if (tensor.begin > tensor.end) {
    return error(Errc::corrupt, "tensor '{}' has reversed offsets [{}, {})", name, tensor.begin,
                 tensor.end);
  }
  if (tensor.end > data_bytes) {
    return error(Errc::corrupt, "tensor '{}' ends at {}, past the end of the data ({} bytes)", name,
                 tensor.end, data_bytes);
  }
  const auto bytes = bytes_of_shape(tensor.shape, tensor.scalar);
  if (!bytes) return error(Errc::corrupt, "the shape of tensor '{}' is larger than 64 bits", name);
  if (*bytes != tensor.end - tensor.begin) {
    return error(Errc::corrupt, "tensor '{}' has {} bytes, its shape and dtype need {}", name,
                 tensor.end - tensor.begin, *bytes);
  }
  return {};
}

/// The tensors fill the data one after another, as the format demands: no overlap and no hole.
Status check_layout(SafetensorsHeader& header, std::uint64_t data_bytes) {
  for (const auto& tensor : header.tensors) {
    if (const auto extent = check_extent(tensor, data_bytes); !extent) return extent;
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) {
              return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
            });
  std::uint64_t at = 0;
  for (const auto& tensor : header.tensors) {
    const auto name = printable(tensor.name, 64);
    if (tensor.begin < at) {
      return error(Errc::corrupt, "tensor '{}' at {} overlaps the one that ends at {}", name,
                   tensor.begin, at);
    }
    if (tensor.begin > at) {
      return error(Errc::corrupt, "{} bytes before tensor '{}' belong to no tensor",
                   tensor.begin - at, name);
    }
    at = tensor.end;
  }
  if (at != data_bytes) {
    return error(Errc::corrupt, "{} bytes at the end belong to no tensor", data_bytes - at);
  }
  return {};
}

}  // namespace

Result<SafetensorsHeader> parse_header(std::string_view text, std::uint64_t data_bytes,
                                       const HeaderLimits& limits) {
  if (!is_utf8(text)) return error(Errc::corrupt, "the header is not UTF-8");
  if (!text.starts_with('{')) return error(Errc::corrupt, "the header does not begin with '{'");
  auto header = HeaderParser(text, limits).parse();
  if (!header) return header.error();
  if (const auto layout = check_layout(*header, data_bytes); !layout) return layout.error();
  header->data_start = kLengthBytes + text.size();
  return header;
}

Result<SafetensorsHeader> read_header(const ReadableFile& file, std::string_view name,
                                      const HeaderLimits& limits) {
  const auto size = file.size().value;
  if (size < kLengthBytes) {
    return error(Errc::corrupt, "{}: {} bytes are too few for a safetensors header", name, size);
  }
  std::uint64_t length = 0;
  auto read = file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (!read) return at(name, read.error());
  if (length > size - kLengthBytes) {
    return error(Errc::corrupt, "{}: a header of {} bytes is longer than the file ({} bytes)", name,
                 length, size);
  }
  if (length > limits.header.value) {
    return error(Errc::corrupt, "{}: a header of {} bytes is above the limit of {}", name, length,
                 limits.header.value);
  }
  std::string text(length, '\0');
  read = file.read(kLengthBytes, std::as_writable_bytes(std::span(text)));
  if (!read) return at(name, read.error());
  auto header = parse_header(text, size - kLengthBytes - length, limits);
  if (!header) return at(name, header.error());
  return header;
}

std::string header_text(std::span<const TensorShape> tensors, const Metadata& metadata) {
  std::string json = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    if (json.back() != '{') json += ',';
    json += format("{}:{}", json_quoted(key), json_quoted(value));
  }
  json += '}';
  std::uint64_t at = 0;
  for (const auto& tensor : tensors) {
    const auto bytes = bytes_of_shape(tensor.shape, tensor.scalar);
    FRENZY_CHECK(bytes.has_value());
    std::string shape;
    for (const auto size : tensor.shape) shape += format("{}{}", shape.empty() ? "" : ",", size);
    json += format(",{}:", json_quoted(tensor.name)) + '{' +
            format(R"("dtype":"{}","shape":[{}],"data_offsets":[{},{}])",
                   type_name(tensor.scalar), shape, at, at + *bytes) +
            '}';
    at += *bytes;
  }
  json += '}';
  json.resize((json.size() + 7) / 8 * 8, ' ');
  ByteWriter out;
  out.write(std::uint64_t{json.size()});
  out.write(bytes_of(json));
  return text_of(out.bytes());
}

}  // namespace frenzy::executor::checkpoint
