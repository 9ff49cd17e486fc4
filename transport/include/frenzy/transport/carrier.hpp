#pragma once
// Carrier: moves handshake packets and frames between two processes, and knows nothing of keys.
//
// A link begins with packets (at most kMaxPacket bytes each, in order) for the handshake. After
// upgrade() it carries frames: a header of fixed size, then a payload that lands in memory which the
// session names once it has read the header. Frames may overtake each other; none is lost or doubled
// while the link lives. Nothing a peer sends makes a carrier allocate more than kMaxPacket.
// Thread: the loop of the Tasks the carrier was made with; events are never raised inside a call.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"

namespace frenzy::transport {

inline constexpr std::size_t kMaxPacket = 8192;
inline constexpr std::size_t kMaxOffer = 4096;
inline constexpr std::size_t kWireHeader = 88;  ///< see frame.hpp
inline constexpr std::size_t kMaxPayload = 1U << 20;

struct LinkId {
  std::uint64_t value = 0;
  friend auto operator<=>(const LinkId&, const LinkId&) = default;
};

/// "10.0.0.1:99" and "[::1]:99" without the port.
[[nodiscard]] inline std::string host_of(const std::string& address) { return address.substr(0, address.rfind(':')); }

struct LinkInfo {
  std::string local, remote;  ///< "127.0.0.1:4711", "[::1]:4711"
  bool outgoing = false;
};

/// "local -> remote" from the side that opened the link, for errors and logs.
[[nodiscard]] std::string route_of(const LinkInfo& info);

/// Where a payload goes. `token` comes back with arrived().
struct Landing {
  std::span<std::byte> into;
  std::uint64_t token = 0;
};

/// A frame to send. The payload stays borrowed until sent(token) or down().
struct OutFrame {
  std::array<std::byte, kWireHeader> header{};
  std::span<const std::byte> payload;
  std::uint64_t token = 0;
};

class CarrierEvents {
 public:
  virtual ~CarrierEvents() = default;
  /// Accepted or connected; packets can be sent.
  virtual void link_up(LinkId link, const LinkInfo& info) = 0;
  virtual void packet(LinkId link, std::span<const std::byte> bytes) = 0;
  /// The upgrade is done; frames can be sent.
  virtual void framed(LinkId link) = 0;
  /// Names the memory for the payload announced in `header` (exactly as long), or an error, after
  /// which the carrier closes the link.
  [[nodiscard]] virtual Result<Landing> header(LinkId link, std::span<const std::byte> header) = 0;
  /// The payload lies in its landing.
  virtual void arrived(LinkId link, std::uint64_t token) = 0;
  /// The frame's memory is free again.
  virtual void sent(LinkId link, std::uint64_t token) = 0;
  /// Bytes came in; raised at least once for every piece read.
  virtual void alive(LinkId link) = 0;
  /// The last event of a link, exactly once, also after close(); borrowed memory is free. `why`
  /// names both addresses.
  virtual void down(LinkId link, const Error& why) = 0;
};

class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Must come first; `events` outlives the carrier or the call of stop().
  virtual void start(CarrierEvents& events) = 0;
  /// Closes everything by force. No event follows; borrowed memory is free when it returns.
  virtual void stop() = 0;

  /// Returns the bound address. Errors: invalid_argument, io (in use, not permitted).
  [[nodiscard]] virtual Result<std::string> listen(const std::string& address) = 0;
  /// link_up or down follows.
  virtual LinkId connect(const std::string& address) = 0;
  virtual void send_packet(LinkId link, std::vector<std::byte> bytes) = 0;
  /// What this side proposes about the link's data path; opaque, at most kMaxOffer bytes. It
  /// travels sealed in the handshake. The caller of the link offers first; the other side knows
  /// `theirs` then, and that they are admitted.
  [[nodiscard]] virtual std::vector<std::byte> offer(LinkId link, std::span<const std::byte> theirs) = 0;
  /// Switches from packets to frames, given the other side's offer. framed() or down() follows.
  virtual void upgrade(LinkId link, std::span<const std::byte> their_offer) = 0;
  virtual void send(LinkId link, const OutFrame& frame) = 0;
  /// By force, also for links that are already going down. down() follows.
  virtual void close(LinkId link) = 0;
  /// Takes a link's socket out of the carrier during the packet phase, to pass it to another
  /// process. No event follows for the link. Errors: unsupported.
  [[nodiscard]] virtual Result<int> release(LinkId link) = 0;
  /// This side's address of a link, also while it is being connected; "this process" before it has one.
  [[nodiscard]] virtual std::string local_address(LinkId link) const = 0;
  /// "tcp", "ucx" or "simulated": what carries this link's frames.
  [[nodiscard]] virtual std::string_view name(LinkId link) const = 0;
  /// Why it is that one: "one host", for logs.
  [[nodiscard]] virtual std::string_view reason(LinkId link) const = 0;
  /// Frames one peer may send before it is told that they were consumed.
  [[nodiscard]] virtual std::uint32_t window() const = 0;
};

}  // namespace frenzy::transport
