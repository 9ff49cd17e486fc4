#include "frenzy/executor/data/samples.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/memory_files.hpp"
#include "frenzy/base/rng.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace frenzy;
using namespace frenzy::executor::data;

namespace {

/// Remembers the largest read, and can shrink under its reader.
class WatchedFile final : public ReadableFile {
 public:
  WatchedFile(std::string text, std::size_t& largest) : text_(std::move(text)), largest_(largest) {}
  [[nodiscard]] Bytes size() const override { return {text_.size()}; }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const override {
    largest_ = std::max(largest_, out.size());
    if (offset + out.size() > text_.size() - missing) return error(Errc::io, "past the end");
    std::copy_n(bytes_of(text_).begin() + static_cast<std::ptrdiff_t>(offset), out.size(),
                out.begin());
    return {};
  }
  std::size_t missing = 0;

 private:
  std::string text_;
  std::size_t& largest_;
};

std::string random_text(Rng& rng, std::size_t size) {
  std::string out;
  while (out.size() < size) out += static_cast<char>(rng.below(256));
  return out;
}

Result<Samples> samples_over(const std::string& text, std::uint32_t seq_len) {
  MemoryFiles files;
  REQUIRE(files.write_text("/d/text.txt", text, FileMode::shared).ok());
  auto file = files.open("/d/text.txt");
  REQUIRE(file.ok());
  return Samples::over(std::make_unique<ByteTokens>("/d/text.txt", std::move(*file)), seq_len);
}

}  // namespace

TEST_CASE("the number of samples counts whole windows", "[executor][data]") {
  struct Row {
    std::uint64_t tokens;
    std::uint32_t seq_len;
    std::uint64_t samples;
  };
  for (const auto& row : {Row{0, 4, 0}, Row{4, 4, 0}, Row{5, 4, 1}, Row{8, 4, 1}, Row{9, 4, 2},
                          Row{1, 1, 0}, Row{2, 1, 1}, Row{1ULL << 40, 1024, (1ULL << 30) - 1}}) {
    INFO(row.tokens << " tokens, seq_len " << row.seq_len);
    CHECK(sample_count(row.tokens, row.seq_len) == row.samples);
  }
}

TEST_CASE("targets are the inputs shifted by one, across window borders", "[executor][data]") {
  const auto samples = samples_over("abcdefghij", 4);
  REQUIRE(samples.ok());
  REQUIRE(samples->count() == 2);
  std::vector<std::int32_t> tokens(8), targets(8);
  const std::vector<std::uint64_t> ids{1, 0};
  REQUIRE(samples->fill(ids, tokens, targets).ok());
  CHECK(tokens == std::vector<std::int32_t>{'e', 'f', 'g', 'h', 'a', 'b', 'c', 'd'});
  CHECK(targets == std::vector<std::int32_t>{'f', 'g', 'h', 'i', 'b', 'c', 'd', 'e'});
}

TEST_CASE("every byte value is a token of its own, for random texts and lengths",
          "[executor][data]") {
  Rng rng(5);
  for (int round = 0; round < 60; ++round) {
    const auto seq_len = static_cast<std::uint32_t>(1 + rng.below(40));
    const auto text = random_text(rng, seq_len + 1 + rng.below(400));
    const auto samples = samples_over(text, seq_len);
    REQUIRE(samples.ok());
    const std::vector<std::uint64_t> ids{rng.below(samples->count())};
    std::vector<std::int32_t> tokens(seq_len), targets(seq_len);
    REQUIRE(samples->fill(ids, tokens, targets).ok());
    for (std::size_t i = 0; i < seq_len; ++i) {
      const auto place = ids[0] * seq_len + i;
      REQUIRE(tokens[i] == static_cast<unsigned char>(text[place]));
      REQUIRE(targets[i] == static_cast<unsigned char>(text[place + 1]));
    }
  }
}

TEST_CASE("an empty text and one shorter than a sequence are refused with the numbers",
          "[executor][data]") {
  const auto empty = samples_over("", 64);
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.error() == Error{Errc::invalid_argument, "/d/text.txt: the text is empty"});
  const auto shorter = samples_over(std::string(64, 'x'), 64);
  REQUIRE_FALSE(shorter.ok());
  CHECK(
      shorter.error().what ==
      "/d/text.txt: 64 tokens are fewer than one sample; seq_len 64 needs 65 (the sequence and the "
      "token after it)");
  CHECK(samples_over(std::string(65, 'x'), 64).ok());
}

TEST_CASE("a long text is read in bounded pieces, and one that shrinks is an error",
          "[executor][data]") {
  std::size_t largest = 0;
  auto file = std::make_unique<WatchedFile>(std::string(200'000, 'y'), largest);
  auto* watched = file.get();
  const auto samples =
      Samples::over(std::make_unique<ByteTokens>("big.txt", std::move(file)), 100'000);
  REQUIRE(samples.ok());
  CHECK(largest == 0);
  std::vector<std::int32_t> tokens(100'000), targets(100'000);
  const std::vector<std::uint64_t> ids{0};
  REQUIRE(samples->fill(ids, tokens, targets).ok());
  CHECK(largest <= 16384);
  watched->missing = 150'000;
  const auto read = samples->fill(ids, tokens, targets);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error() == Error{Errc::io, "big.txt: past the end"});
}
