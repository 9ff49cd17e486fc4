#pragma once
// Samples: where a program's load instructions get tokens. Which sample has which number in a step is
// a pure function of the seed, so no device keeps a data position.

#include <cstdint>
#include <span>

#include "frenzy/base/result.hpp"
#include "frenzy/model/plan.hpp"

namespace frenzy::executor {

/// Thread: any.
class Samples {
 public:
  virtual ~Samples() = default;
  /// Fills samples `numbers` of step `step`, row-major samples x sequence. Targets are the next
  /// tokens; -1 where there is no loss.
  [[nodiscard]] virtual Status fill(Step step, model::SampleRange numbers, std::uint32_t sequence,
                                    std::span<std::int32_t> tokens,
                                    std::span<std::int32_t> targets) = 0;
};

}  // namespace frenzy::executor
