#include "frenzy/transport/ucx_offer.hpp"

#include <cstring>

#include "frenzy/base/byte_io.hpp"

namespace frenzy::transport {

namespace {
constexpr std::uint8_t kVersion = 1;
constexpr unsigned kSharedMemory = 1, kNetwork = 2;
constexpr std::size_t kMaxWorkerAddress = 1900;

std::vector<std::byte> read_address(ByteReader& in) {
  const auto from = in.take(in.read<std::uint16_t>());
  return {from.begin(), from.end()};
}

void write_address(ByteWriter& out, const std::vector<std::byte>& address) {
  FRENZY_CHECK(address.size() <= kMaxWorkerAddress);
  out.write(static_cast<std::uint16_t>(address.size()));
  out.write(address);
}

}  // namespace

std::vector<std::byte> encode(const UcxOffer& offer) {
  ByteWriter out;
  out.write(kVersion);
  out.write(static_cast<std::uint8_t>((offer.shared_memory ? kSharedMemory : 0U) |
                                      (offer.network ? kNetwork : 0U)));
  out.write(std::uint16_t{0});
  out.write(offer.token);
  out.write(std::as_bytes(std::span(offer.place.boot_id)));
  out.write(offer.place.net_namespace);
  out.write(offer.place.ipc_namespace);
  out.write(offer.place.pid_namespace);
  out.write(offer.place.uid);
  write_address(out, offer.shared_memory_address);
  write_address(out, offer.network_address);
  return out.take();
}

Result<UcxOffer> decode_ucx_offer(std::span<const std::byte> bytes) {
  UcxOffer out;
  if (bytes.empty()) return out;
  ByteReader in(bytes);
  const auto version = in.read<std::uint8_t>();
  const auto flags = in.read<std::uint8_t>();
  const auto reserved = in.read<std::uint16_t>();
  out.token = in.read<std::uint64_t>();
  const auto boot = in.take(out.place.boot_id.size());
  if (!boot.empty()) std::memcpy(out.place.boot_id.data(), boot.data(), boot.size());
  out.place.net_namespace = in.read<std::uint64_t>();
  out.place.ipc_namespace = in.read<std::uint64_t>();
  out.place.pid_namespace = in.read<std::uint64_t>();
  out.place.uid = in.read<std::uint32_t>();
  out.shared_memory_address = read_address(in);
  out.network_address = read_address(in);
  if (in.failed() || in.left() != 0 || version != kVersion || reserved != 0 || flags > 3 ||
      out.shared_memory_address.size() > kMaxWorkerAddress ||
      out.network_address.size() > kMaxWorkerAddress) {
    return error(Errc::corrupt, "malformed UCX offer of {} bytes", bytes.size());
  }
  out.shared_memory = (flags & kSharedMemory) != 0 && !out.shared_memory_address.empty();
  out.network = (flags & kNetwork) != 0 && !out.network_address.empty();
  return out;
}

UcxPath agree(const UcxOffer& a, const UcxOffer& b) {
  if (a.shared_memory && b.shared_memory && a.place == b.place) return UcxPath::shared_memory;
  if (a.network && b.network) return UcxPath::network;
  return UcxPath::none;
}

}  // namespace frenzy::transport
