// Frame and handshake decoders, and an answering handshake, fed with anything. Whatever decodes must
// encode to the same bytes again.
#include <cstdlib>

#include "frenzy/transport/frame.hpp"
#include "frenzy/transport/handshake_packets.hpp"
#include "frenzy/transport/simulated_crypto.hpp"
#include "handshake.hpp"

using namespace frenzy;
using namespace frenzy::transport;

namespace {

void expect(bool truth) {
  if (!truth) std::abort();
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void decode_alone(std::span<const std::byte> bytes) {
  if (const auto h = decode_frame_header(bytes)) expect(same(encode(*h), bytes));
  if (const auto p = decode_frame_prefix(bytes)) expect(p->payload_bytes <= kMaxPayload);
  if (const auto h = decode_hello(bytes)) expect(same(encode(*h), bytes));
  if (const auto i = decode_identity(bytes)) expect(same(encode(*i), bytes));
  if (const auto a = decode_alert(bytes)) expect(a->text.size() <= kMaxAlertText + 3);
}

// The input is cut into packets by its own bytes.
void shake_hands(std::span<const std::byte> bytes) {
  const auto crypto = make_simulated_crypto(1);
  SessionOptions options;
  options.uuid.bytes[0] = 1;
  options.identity = crypto->key_pair();
  ClusterAdmission admission(*crypto, options.admission_key);
  for (const bool outgoing : {false, true}) {
    Handshake handshake({options, *crypto, admission, {"a:1", "b:1", outgoing}, {}}, Uuid{});
    if (outgoing) (void)handshake.start();
    auto rest = bytes;
    while (rest.size() > 1) {
      const auto length = std::min<std::size_t>(rest.size() - 1, std::to_integer<std::size_t>(rest[0]));
      std::vector<std::byte> reply;
      if (handshake.packet(rest.subspan(1, length), reply)) break;
      rest = rest.subspan(1 + length);
    }
    expect(!handshake.finished());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  decode_alone(bytes);
  shake_hands(bytes);
  return 0;
}
