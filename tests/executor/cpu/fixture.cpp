#include "fixture.hpp"

#include <bit>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace frenzy::executor::test {
namespace {

std::string contents(const std::string& name) {
  std::ifstream in(std::string(FRENZY_REFERENCE_DIR) + "/" + name, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Little-endian numbers of `width` bytes, as the upper bytes of an IEEE float.
std::vector<double> floats(const std::string& bytes, std::size_t width) {
  std::vector<double> out;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const auto byte = static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]));
      bits |= byte << (8 * (4 - width + i));
    }
    out.push_back(static_cast<double>(std::bit_cast<float>(bits)));
  }
  return out;
}

Batch batch_of(std::span<const std::vector<std::int32_t>> rows) {
  Batch batch;
  batch.shape = {static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(rows[0].size() - 1)};
  for (const auto& row : rows) {
    batch.tokens.insert(batch.tokens.end(), row.begin(), row.end() - 1);
    batch.targets.insert(batch.targets.end(), row.begin() + 1, row.end());
  }
  return batch;
}

}  // namespace

Fixture::Fixture() {
  std::istringstream manifest(contents("gpt2.manifest.txt"));
  std::vector<std::vector<std::int32_t>> rows;
  std::uint32_t batch = 0, sequence = 0;
  std::string line;
  while (std::getline(manifest, line)) {
    std::istringstream in(line);
    std::string key, name;
    in >> key;
    double value = 0;
    if (key == "shape") {
      in >> batch >> sequence >> recipe.steps;
    } else if (key == "model") {
      in >> spec.layers >> spec.hidden >> spec.heads >> spec.positions >> spec.vocabulary;
    } else if (key == "tokens") {
      rows.emplace_back(std::istream_iterator<std::int32_t>(in), std::istream_iterator<std::int32_t>());
    } else if (key == "tensor") {
      FixtureTensor tensor;
      in >> name >> tensor.rows >> tensor.columns >> tensor.offset;
      tensors_[name] = tensor;
    } else if (in >> value) {
      (key == "loss" ? losses : norms).push_back(value);
    }
  }
  spec = *model::validated(spec);
  for (std::size_t i = 0; i < rows.size(); i += batch) batches.push_back(batch_of(std::span(rows).subspan(i, batch)));
  values_[File::initial] = floats(contents("gpt2.init.bf16.bin"), 2);
  values_[File::gradients] = floats(contents("gpt2.grads.f32.bin"), 4);
  values_[File::step1] = floats(contents("gpt2.step1.f32.bin"), 4);
  values_[File::step5] = floats(contents("gpt2.step5.f32.bin"), 4);
}

std::vector<double> Fixture::read(File file, const model::TensorSpec& tensor) const {
  const auto& stored = tensors_.at(tensor.name);
  const auto& values = values_.at(file);
  std::vector<double> out;
  for (std::uint64_t row = 0; row < tensor.rows; ++row) {
    for (std::uint64_t column = 0; column < tensor.columns; ++column) {
      const auto at = tensor.file_order == model::FileOrder::conv1d
                          ? column * stored.columns + row
                          : row * stored.columns + column;
      out.push_back(values[stored.offset + at]);
    }
  }
  return out;
}

std::vector<double> Fixture::block(File file, const model::BlockLayout& layout) const {
  std::vector<double> out;
  for (const auto& tensor : layout.tensors) {
    const auto values = read(file, tensor);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

}  // namespace frenzy::executor::test
