#pragma once
// Text out of a checkpoint: loads the weights of any layout and samples token by token. Plain and
// small: the whole window is run again for every token.

#include <functional>

#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"
#include "frenzy/executor/kernels.hpp"

namespace frenzy::executor {

struct GenerateOptions {
  std::uint32_t tokens = 200;   ///< to add
  double temperature = 0.8;     ///< 0 = always the likeliest
  std::uint64_t seed = 0;
};

/// Calls `next` with every new token. `prompt` is not empty; the model sees at most `positions` of
/// its last tokens. Errors: the reader's; invalid_argument for a token outside the vocabulary.
[[nodiscard]] Status generate(checkpoint::CheckpointReader& reader, Kernels& kernels,
                              std::vector<std::int32_t> prompt, const GenerateOptions& options,
                              const std::function<void(std::int32_t)>& next);

}  // namespace frenzy::executor
