#pragma once
// Cuts a token source into samples: consecutive windows of seq_len + 1 tokens that overlap by one.
// Sample i reads tokens [i * seq_len, (i + 1) * seq_len) and is asked for the ones after them, so
// every token but the first is a target exactly once a pass. A rest shorter than a window is
// unused.

#include "frenzy/base/result.hpp"
#include "frenzy/executor/data/token_source.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace frenzy::executor::data {

/// Whole windows in `tokens` tokens; 0 if there is none.
[[nodiscard]] std::uint64_t sample_count(std::uint64_t tokens, std::uint32_t seq_len);

/// Thread: any.
class Samples {
 public:
  /// invalid_argument if the source is empty or shorter than one window, with both numbers.
  [[nodiscard]] static Result<Samples> over(std::unique_ptr<TokenSource> source,
                                            std::uint32_t seq_len);

  /// At least 1.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint32_t seq_len() const { return seq_len_; }

  /// Row r of `tokens` and of `targets` (each ids.size() x seq_len) becomes sample ids[r]. Every id
  /// is below count(). Errors are the source's; the output is then partly written.
  [[nodiscard]] Status fill(std::span<const std::uint64_t> ids, std::span<std::int32_t> tokens,
                            std::span<std::int32_t> targets) const;

 private:
  Samples(std::unique_ptr<TokenSource> source, std::uint32_t seq_len, std::uint64_t count);

  std::unique_ptr<TokenSource> source_;
  std::uint32_t seq_len_;
  std::uint64_t count_;
};

}  // namespace frenzy::executor::data
