#pragma once
// The GPT-2 fixture of tests/executor/reference (its README states files and bounds).

#include <map>
#include <string>
#include <vector>

#include "model_run.hpp"

namespace frenzy::executor::test {

struct FixtureTensor {
  std::uint64_t rows = 0, columns = 0;  ///< as in the file
  std::uint64_t offset = 0;
};

class Fixture {
 public:
  Fixture();

  model::ModelSpec spec;
  model::Recipe recipe;
  std::vector<Batch> batches;
  std::vector<double> losses, norms;

  enum class File { initial, gradients, step1, step5 };
  /// A tensor in memory order (out, in).
  [[nodiscard]] std::vector<double> read(File file, const model::TensorSpec& tensor) const;
  [[nodiscard]] std::vector<double> block(File file, const model::BlockLayout& layout) const;

 private:
  std::map<std::string, FixtureTensor, std::less<>> tensors_;
  std::map<File, std::vector<double>> values_;
};

}  // namespace frenzy::executor::test
