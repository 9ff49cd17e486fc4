#include "frenzy/executor/data/samples.hpp"

#include "frenzy/base/check.hpp"

#include <algorithm>
#include <utility>

namespace frenzy::executor::data {

std::uint64_t sample_count(std::uint64_t tokens, std::uint32_t seq_len) {
  FRENZY_CHECK(seq_len > 0);
  return tokens == 0 ? 0 : (tokens - 1) / seq_len;
}

Samples::Samples(std::unique_ptr<TokenSource> source, std::uint32_t seq_len, std::uint64_t count)
    : source_(std::move(source)), seq_len_(seq_len), count_(count) {}

Result<Samples> Samples::over(std::unique_ptr<TokenSource> source, std::uint32_t seq_len) {
  const auto tokens = source->size();
  if (tokens == 0) return error(Errc::invalid_argument, "{}: the text is empty", source->name());
  const auto count = sample_count(tokens, seq_len);
  if (count == 0) {
    return error(
        Errc::invalid_argument,
        "{}: {} tokens are fewer than one sample; seq_len {} needs {} (the sequence and the "
        "token after it)",
        source->name(), tokens, seq_len, std::uint64_t{seq_len} + 1);
  }
  return Samples(std::move(source), seq_len, count);
}

Status Samples::fill(std::span<const std::uint64_t> ids, std::span<std::int32_t> tokens,
                     std::span<std::int32_t> targets) const {
  const std::size_t length = seq_len_;
  FRENZY_CHECK(tokens.size() == ids.size() * length);
  FRENZY_CHECK(targets.size() == ids.size() * length);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    FRENZY_CHECK(ids[row] < count_);
    const auto begin = ids[row] * length;
    const auto inputs = tokens.subspan(row * length, length);
    const auto shifted = targets.subspan(row * length, length);
    if (const auto read = source_->read(begin, inputs); !read) return read;
    std::copy(inputs.begin() + 1, inputs.end(), shifted.begin());
    if (const auto read = source_->read(begin + length, shifted.last(1)); !read) return read;
  }
  return {};
}

}  // namespace frenzy::executor::data
