#include <cstdlib>

#include "frenzy/codec/envelope.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto got = frenzy::codec::decode({reinterpret_cast<const std::byte*>(data), size});
  // Whatever was let in is in bounds, so it can be sent on.
  if (got && !frenzy::codec::encode(*got)) std::abort();
  return 0;
}
