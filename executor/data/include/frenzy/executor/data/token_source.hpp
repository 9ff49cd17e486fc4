#pragma once
// Tokens of one data source, addressed by position. A source is read in place and never held in
// memory: data sets are larger than hosts.

#include "frenzy/base/files.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace frenzy::executor::data {

/// Thread: any.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// How errors call it: the file's name.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// In tokens.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills `out` with the tokens from `begin` on; io if the file fails or has shrunk.
  [[nodiscard]] virtual Status read(std::uint64_t begin, std::span<std::int32_t> out) const = 0;
};

/// A text whose tokens are its bytes (0..255). Memory: 16 KiB while reading.
class ByteTokens final : public TokenSource {
 public:
  ByteTokens(std::string name, std::unique_ptr<ReadableFile> file);
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Status read(std::uint64_t begin, std::span<std::int32_t> out) const override;

 private:
  std::string name_;
  std::unique_ptr<ReadableFile> file_;
  std::uint64_t size_;
};

}  // namespace frenzy::executor::data
