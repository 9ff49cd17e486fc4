#pragma once
// What each side says in the handshake about UCX, and what follows from both. Little-endian:
//   1 version (1) | 1 flags: 1 shared memory, 2 network | 2 zero | 8 token of the link
//   16 boot id | 8 net, 8 ipc, 8 pid namespace | 4 uid
//   2 length, address of the shared-memory worker | 2 length, address of the network worker

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frenzy/base/result.hpp"

namespace frenzy::transport {

/// Where a process runs, as far as shared memory and its wake-ups depend on it.
struct HostPlace {
  std::array<std::uint8_t, 16> boot_id{};
  std::uint64_t net_namespace = 0, ipc_namespace = 0, pid_namespace = 0;
  std::uint32_t uid = 0;
  friend bool operator==(const HostPlace&, const HostPlace&) = default;
};

/// Of this process. Errors: io (no /proc).
[[nodiscard]] Result<HostPlace> host_place();

struct UcxOffer {
  bool shared_memory = false;  ///< this side has a shared-memory worker
  bool network = false;        ///< this side trusts the network of the other
  std::uint64_t token = 0;     ///< put in front of every frame for this link
  HostPlace place;
  std::vector<std::byte> shared_memory_address, network_address;
  friend bool operator==(const UcxOffer&, const UcxOffer&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const UcxOffer& offer);
/// An empty offer (the other side has no UCX) is all false. Errors: corrupt.
[[nodiscard]] Result<UcxOffer> decode_ucx_offer(std::span<const std::byte> bytes);

enum class UcxPath : std::uint8_t { none, shared_memory, network };
/// The same answer on both sides.
[[nodiscard]] UcxPath agree(const UcxOffer& a, const UcxOffer& b);

}  // namespace frenzy::transport
