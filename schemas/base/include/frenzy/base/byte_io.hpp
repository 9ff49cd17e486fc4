#pragma once
// Little-endian reading and writing with bounds. The reader never runs past its span: a failed read
// yields zero and sets `failed()`, so a decoder reads all fields and asks once.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frenzy {

static_assert(std::endian::native == std::endian::little, "files and frames are little-endian");

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T read() {
    T out{};
    const auto from = take(sizeof(T));
    if (!from.empty()) std::memcpy(&out, from.data(), sizeof(T));
    return out;
  }
  /// Exactly `count` bytes, or an empty span and failed().
  [[nodiscard]] std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const auto out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return out;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

class ByteWriter {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void write(T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
  }
  void write(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
[[nodiscard]] inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace frenzy
