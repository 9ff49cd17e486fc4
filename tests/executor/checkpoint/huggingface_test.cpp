#include "frenzy/executor/checkpoint/huggingface.hpp"

#include "allocation_watch.hpp"
#include "checkpoint_fixture.hpp"

#include "frenzy/executor/checkpoint/safetensors.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <filesystem>

using namespace frenzy;
using namespace frenzy::executor::checkpoint;
using frenzy::test::AllocationWatch;
using frenzy::test::Fixture;
using frenzy::test::state_byte;

namespace {

Status exported(Fixture& fixture) {
  auto reader = CheckpointReader::open(fixture.files, fixture.hashing, fixture.directory, Step{7});
  REQUIRE(reader.ok());
  return export_huggingface(fixture.files, *reader, "/out");
}

/// The bytes of one element of a tensor, by row (out) and column (in).
std::string element(const Fixture& fixture, std::uint32_t block, const model::TensorSpec& tensor,
                    std::uint64_t row, std::uint64_t column) {
  const auto size = model::size_of(fixture.scalar);
  const auto first = (tensor.offset + row * tensor.columns + column) * size;
  std::string out;
  for (std::uint64_t i = 0; i < size; ++i) {
    out += static_cast<char>(state_byte(7, block, Field::weights, first + i));
  }
  return out;
}

std::string expected_bytes(const Fixture& fixture, std::uint32_t block,
                           const model::TensorSpec& tensor) {
  std::string out;
  const bool turned = tensor.file_order == model::FileOrder::conv1d;
  for (std::uint64_t i = 0; i < (turned ? tensor.columns : tensor.rows); ++i) {
    for (std::uint64_t j = 0; j < (turned ? tensor.rows : tensor.columns); ++j) {
      out += element(fixture, block, tensor, turned ? j : i, turned ? i : j);
    }
  }
  return out;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "frenzy-test-XXXXXX").string();
    FRENZY_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("an export holds every tensor in Hugging Face's name, shape and order", "[checkpoint]") {
  for (const auto scalar : {model::Scalar::fp32, model::Scalar::fp64}) {
    for (const auto tying : {model::Tying::tied, model::Tying::untied}) {
      Fixture fixture;
      fixture.scalar = scalar;
      fixture.model.tying = tying;
      REQUIRE(fixture.save(7, 3).ok());
      REQUIRE(exported(fixture).ok());
      const auto file = fixture.files.open("/out/model.safetensors");
      REQUIRE(file.ok());
      const auto header = read_header(**file, "model.safetensors");
      REQUIRE(header.ok());
      CHECK(header->metadata == Metadata{{"format", "pt"}});
      std::size_t seen = 0;
      const auto blocks = model::parameter_layout(fixture.model);
      for (std::uint32_t block = 0; block < blocks.size(); ++block) {
        for (const auto& tensor : blocks[block].tensors) {
          const auto& entry = header->tensors.at(seen++);
          INFO(tensor.name);
          REQUIRE(entry.name == tensor.name);
          CHECK(entry.scalar == scalar);
          std::string bytes(entry.end - entry.begin, '\0');
          REQUIRE(
              (*file)
                  ->read(header->data_start + entry.begin, std::as_writable_bytes(std::span(bytes)))
                  .ok());
          CHECK(bytes == expected_bytes(fixture, block, tensor));
        }
      }
      CHECK(seen == header->tensors.size());
      CHECK(header->tensors.back().name ==
            (tying == model::Tying::tied ? "transformer.ln_f.bias" : "lm_head.weight"));
    }
  }
}

TEST_CASE("exported shapes are those of GPT2LMHeadModel", "[checkpoint]") {
  Fixture fixture;
  REQUIRE(fixture.save(7, 3).ok());
  REQUIRE(exported(fixture).ok());
  const auto header =
      read_header(**fixture.files.open("/out/model.safetensors"), "model.safetensors");
  REQUIRE(header.ok());
  const auto shape = [&](std::string_view name) {
    for (const auto& tensor : header->tensors) {
      if (tensor.name == name) return tensor.shape;
    }
    return std::vector<std::uint64_t>{};
  };
  using Shape = std::vector<std::uint64_t>;
  CHECK(shape("transformer.wte.weight") == Shape{11, 8});
  CHECK(shape("transformer.wpe.weight") == Shape{6, 8});
  CHECK(shape("transformer.h.1.attn.c_attn.weight") == Shape{8, 24});
  CHECK(shape("transformer.h.1.attn.c_attn.bias") == Shape{24});
  CHECK(shape("transformer.h.0.mlp.c_fc.weight") == Shape{8, 20});
  CHECK(shape("transformer.h.0.mlp.c_proj.weight") == Shape{20, 8});
  CHECK(shape("transformer.ln_f.weight") == Shape{8});
}

TEST_CASE("the configuration says what the model is", "[checkpoint]") {
  auto spec = test::small_model(model::Tying::untied);
  CHECK(huggingface_config(spec, model::Scalar::fp32) == R"({
  "architectures": ["GPT2LMHeadModel"],
  "model_type": "gpt2",
  "activation_function": "gelu_new",
  "n_layer": 2,
  "n_embd": 8,
  "n_head": 2,
  "n_inner": 20,
  "n_positions": 6,
  "n_ctx": 6,
  "vocab_size": 11,
  "layer_norm_epsilon": 1e-05,
  "initializer_range": 0.02,
  "attn_pdrop": 0.0,
  "embd_pdrop": 0.0,
  "resid_pdrop": 0.0,
  "tie_word_embeddings": false,
  "torch_dtype": "float32",
  "bos_token_id": null,
  "eos_token_id": null
}
)");
}

TEST_CASE("an export that fails leaves no file", "[checkpoint]") {
  Fixture full;
  REQUIRE(full.save(7, 3).ok());
  full.files.set_capacity(1_B);
  const auto failed = exported(full);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == Errc::io);
  CHECK_FALSE(full.files.exists("/out/model.safetensors"));
  CHECK_FALSE(full.files.exists("/out/config.json"));

  Fixture damaged;
  REQUIRE(damaged.save(7, 3).ok());
  const auto manifest = *read_manifest(damaged.files, damaged.hashing, damaged.directory, Step{7});
  for (const auto& piece : manifest.pieces) {
    if (piece.spec.block.value != 2 || piece.spec.range.empty()) continue;
    damaged.flip_bit(piece_path(damaged.directory, piece.digest), piece.bytes.value * 8 - 1);
    break;
  }
  CHECK(exported(damaged).error().code == Errc::corrupt);
  CHECK_FALSE(damaged.files.exists("/out/model.safetensors"));
  CHECK_FALSE(damaged.files.exists("/out/config.json"));
}

TEST_CASE("an export on disk needs the largest tensor and less than 1 MiB", "[checkpoint]") {
  const TemporaryFolder folder;
  RealFiles files;
  const test::TestHashing hashing;
  const model::ModelSpec spec{
      .layers = 1, .hidden = 512, .heads = 2, .ffn = 2048, .positions = 64, .vocabulary = 6000};
  Manifest manifest;
  manifest.step = {1};
  manifest.model = spec;
  const auto blocks = model::parameter_layout(spec);
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    const PieceSpec piece{
        {block}, Field::weights, {0, blocks[block].elements}, model::Scalar::fp32};
    const std::vector<std::byte> data(piece.data_bytes(), std::byte{1});
    const auto written = write_piece(files, hashing, folder.path(), piece, data);
    REQUIRE(written.ok());
    manifest.pieces.push_back(*written);
  }
  REQUIRE(write_manifest(files, hashing, folder.path(), manifest).ok());
  const std::size_t largest = 512 * 2048 * 4;
  const AllocationWatch watch;
  auto reader = CheckpointReader::open(files, hashing, folder.path(), Step{1});
  REQUIRE(reader.ok());
  REQUIRE(export_huggingface(files, *reader, folder.path() + "/out").ok());
  CHECK(watch.peak() < largest + (1 << 20));
  CHECK(std::filesystem::file_size(folder.path() + "/out/model.safetensors") >
        4 * model::parameter_count(spec));
}
