#include "frenzy/executor/data/token_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace frenzy::executor::data {

ByteTokens::ByteTokens(std::string name, std::unique_ptr<ReadableFile> file)
    : name_(std::move(name)), file_(std::move(file)), size_(file_->size().value) {}

Status ByteTokens::read(std::uint64_t begin, std::span<std::int32_t> out) const {
  std::array<std::byte, 16384> buffer;
  while (!out.empty()) {
    const auto count = std::min(out.size(), buffer.size());
    const auto bytes = std::span(buffer).first(count);
    const auto read = file_->read(begin, bytes);
    if (!read) return at(name_, read.error());
    std::transform(bytes.begin(), bytes.end(), out.begin(),
                   [](std::byte b) { return std::to_integer<std::int32_t>(b); });
    begin += count;
    out = out.subspan(count);
  }
  return {};
}

}  // namespace frenzy::executor::data
