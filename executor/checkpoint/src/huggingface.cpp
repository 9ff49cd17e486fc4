#include "frenzy/executor/checkpoint/huggingface.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/executor/checkpoint/safetensors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

namespace frenzy::executor::checkpoint {
namespace {

constexpr std::uint64_t kPart = 256 << 10;

TensorShape file_shape(const model::TensorSpec& tensor, model::Scalar scalar) {
  if (tensor.is_vector) return {tensor.name, scalar, {tensor.rows}};
  if (tensor.file_order == model::FileOrder::conv1d) {
    return {tensor.name, scalar, {tensor.columns, tensor.rows}};
  }
  return {tensor.name, scalar, {tensor.rows, tensor.columns}};
}

/// Copies one tensor after another from a checkpoint to a file.
class TensorWriter {
 public:
  TensorWriter(CheckpointReader& from, WritableFile& to)
      : from_(from), to_(to), scalar_bytes_(model::size_of(scalar_of(from.manifest()))) {}

  Status write(BlockIndex block, const model::TensorSpec& tensor) {
    const bool transpose = !tensor.is_vector && tensor.file_order == model::FileOrder::conv1d;
    return transpose ? write_transposed(block, tensor) : write_as_stored(block, tensor);
  }

 private:
  Status write_as_stored(BlockIndex block, const model::TensorSpec& tensor) {
    const auto step = kPart / scalar_bytes_;
    std::vector<std::byte> part(std::min(step, tensor.elements()) * scalar_bytes_);
    const auto end = tensor.offset + tensor.elements();
    for (auto begin = tensor.offset; begin < end; begin += step) {
      const model::ElementRange range{begin, std::min(begin + step, end)};
      const auto bytes = std::span(part).first(range.size() * scalar_bytes_);
      if (const auto read = from_.load(block, Field::weights, range, bytes); !read) return read;
      if (const auto put = to_.append(bytes); !put) return put;
    }
    return {};
  }

  // The file wants (in, out), memory has (out, in): the file's row r is memory's column r. Several
  // columns are gathered at once so that memory is read in runs.
  Status write_transposed(BlockIndex block, const model::TensorSpec& tensor) {
    std::vector<std::byte> whole(tensor.elements() * scalar_bytes_);
    const model::ElementRange range{tensor.offset, tensor.offset + tensor.elements()};
    const auto read = from_.load(block, Field::weights, range, std::span(whole));
    if (!read) return read;
    const auto row_bytes = tensor.rows * scalar_bytes_;
    const auto step = std::clamp<std::uint64_t>(kPart / row_bytes, 1, tensor.columns);
    std::vector<std::byte> part(step * row_bytes);
    for (std::uint64_t first = 0; first < tensor.columns; first += step) {
      const auto count = std::min(step, tensor.columns - first);
      for (std::uint64_t out = 0; out < tensor.rows; ++out) {
        const auto* run = whole.data() + (out * tensor.columns + first) * scalar_bytes_;
        for (std::uint64_t i = 0; i < count; ++i) {
          std::memcpy(part.data() + i * row_bytes + out * scalar_bytes_, run + i * scalar_bytes_,
                      scalar_bytes_);
        }
      }
      if (const auto put = to_.append(std::span(part).first(count * row_bytes)); !put) return put;
    }
    return {};
  }

  CheckpointReader& from_;
  WritableFile& to_;
  std::uint64_t scalar_bytes_;
};

Status write_weights(Files& files, CheckpointReader& checkpoint, const std::string& path) {
  const auto& manifest = checkpoint.manifest();
  const auto blocks = model::parameter_layout(manifest.model);
  std::vector<TensorShape> shapes;
  for (const auto& block : blocks) {
    for (const auto& tensor : block.tensors)
      shapes.push_back(file_shape(tensor, scalar_of(manifest)));
  }
  auto file = files.create(path, FileMode::shared);
  if (!file) return file.error();
  // transformers refuses a file that does not say which framework its tensors are for.
  const auto put = (*file)->append(bytes_of(header_text(shapes, {{"format", "pt"}})));
  if (!put) return put;
  TensorWriter writer(checkpoint, **file);
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    for (const auto& tensor : blocks[block].tensors) {
      if (const auto done = writer.write({block}, tensor); !done) return done;
    }
  }
  return (*file)->commit();
}

}  // namespace

std::string huggingface_config(const model::ModelSpec& spec, model::Scalar scalar) {
  std::array<char, 32> epsilon{};
  const auto end =
      std::to_chars(epsilon.data(), epsilon.data() + epsilon.size(), spec.norm_epsilon).ptr;
  return std::string(
             "{\n  \"architectures\": [\"GPT2LMHeadModel\"],\n  \"model_type\": \"gpt2\",\n") +
         "  \"activation_function\": \"gelu_new\",\n" +
         format("  \"n_layer\": {},\n  \"n_embd\": {},\n  \"n_head\": {},\n  \"n_inner\": {},\n",
                spec.layers, spec.hidden, spec.heads, spec.ffn) +
         format("  \"n_positions\": {},\n  \"n_ctx\": {},\n  \"vocab_size\": {},\n", spec.positions,
                spec.positions, spec.vocabulary) +
         format("  \"layer_norm_epsilon\": {},\n  \"initializer_range\": 0.02,\n",
                std::string_view(epsilon.data(), end)) +
         "  \"attn_pdrop\": 0.0,\n  \"embd_pdrop\": 0.0,\n  \"resid_pdrop\": 0.0,\n" +
         format("  \"tie_word_embeddings\": {},\n  \"torch_dtype\": \"{}\",\n",
                spec.tying == model::Tying::tied,
                scalar == model::Scalar::fp64 ? "float64" : "float32") +
         "  \"bos_token_id\": null,\n  \"eos_token_id\": null\n}\n";
}

Status export_huggingface(Files& files, CheckpointReader& checkpoint,
                          const std::string& out_directory) {
  if (const auto made = files.make_directory(out_directory); !made) return made;
  const auto written = write_weights(files, checkpoint, out_directory + "/model.safetensors");
  if (!written) return written;
  const auto& manifest = checkpoint.manifest();
  return files.write_text(out_directory + "/config.json",
                          huggingface_config(manifest.model, scalar_of(manifest)),
                          FileMode::shared);
}

}  // namespace frenzy::executor::checkpoint
