#pragma once
// Names of content (data chunks, checkpoint pieces): BLAKE2b-256. The hash itself comes from a
// library behind `ContentHasher`, so that base stays free of packages.

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "frenzy/base/result.hpp"

namespace frenzy {

struct ContentDigest {
  std::array<std::uint8_t, 32> bytes{};
  friend auto operator<=>(const ContentDigest&, const ContentDigest&) = default;
  /// 64 hexadecimal digits.
  [[nodiscard]] static Result<ContentDigest> parse(std::string_view text);
};

void append_text(std::string& out, const ContentDigest& value);

/// One running hash. Thread: one at a time.
class ContentHasher {
 public:
  virtual ~ContentHasher() = default;
  virtual void update(std::span<const std::byte> bytes) = 0;
  /// The digest of all updates; the hasher is spent afterwards.
  [[nodiscard]] virtual ContentDigest finish() = 0;
};

/// Makes hashers. Thread: any.
class ContentHashing {
 public:
  virtual ~ContentHashing() = default;
  [[nodiscard]] virtual std::unique_ptr<ContentHasher> start() const = 0;
  [[nodiscard]] ContentDigest digest(std::span<const std::byte> bytes) const {
    const auto hasher = start();
    hasher->update(bytes);
    return hasher->finish();
  }
};

}  // namespace frenzy
