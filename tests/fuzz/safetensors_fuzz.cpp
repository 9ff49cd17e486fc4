// A header is an error or tensors that fill the data one after another. The first two bytes are the
// size of the data, the rest is the header's text.

#include "frenzy/base/check.hpp"
#include "frenzy/executor/checkpoint/safetensors.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint64_t data_bytes = data[0] | static_cast<std::uint64_t>(data[1]) << 8;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto header = frenzy::executor::checkpoint::parse_header(text, data_bytes);
  if (!header.ok()) return 0;
  std::uint64_t at = 0;
  for (const auto& tensor : header->tensors) {
    FRENZY_CHECK(tensor.begin == at);
    at = tensor.end;
  }
  FRENZY_CHECK(at == data_bytes);
  return 0;
}
