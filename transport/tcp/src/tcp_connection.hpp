#pragma once
// One socket: reads packets, later frames; writes what is queued. Thread: the loop's.
//
// In the packet phase it reads exactly what a packet needs, never more, so that the socket can be
// passed to another process. In the frame phase headers and small payloads come through a buffer,
// the rest of a payload is read straight into its landing.

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "frenzy/transport/tcp_carrier.hpp"

namespace frenzy::transport {

class TcpConnection final : public std::enable_shared_from_this<TcpConnection> {
 public:
  TcpConnection(TcpCarrier& carrier, LinkId link, LinkInfo info, UniqueFd socket, bool connecting);
  ~TcpConnection();
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;
  TcpConnection(TcpConnection&&) = delete;
  TcpConnection& operator=(TcpConnection&&) = delete;

  [[nodiscard]] Status watch();
  void send_packet(std::vector<std::byte> bytes);
  void send(const OutFrame& frame);
  void upgrade();
  /// Closes the socket at once; queued packets (an alert) get one last try.
  void close();
  [[nodiscard]] bool closed() const { return !socket_.valid(); }
  [[nodiscard]] bool framed() const { return framed_; }
  [[nodiscard]] int release();
  [[nodiscard]] const LinkInfo& info() const { return info_; }

 private:
  static constexpr std::size_t kBuffer = 64U << 10;
  static constexpr std::size_t kBytesPerTurn = 4U << 20;
  static constexpr std::size_t kLarge = 64U << 10;  ///< smaller frames overtake waiting larger ones

  struct Out {
    std::array<std::byte, kWireHeader> header{};
    std::size_t header_bytes = 0;
    std::vector<std::byte> owned;        ///< packets
    std::span<const std::byte> payload;  ///< frames; borrowed
    std::size_t written = 0;
    std::uint64_t token = 0;             ///< 0: a packet
    [[nodiscard]] bool large() const { return payload.size() > kLarge; }
    [[nodiscard]] std::span<const std::byte> body() const {
      return token == 0 ? std::span<const std::byte>(owned) : payload;
    }
    [[nodiscard]] std::size_t total() const { return header_bytes + body().size(); }
  };

  void ready(std::uint32_t events);
  void finish_connect();
  void read();
  [[nodiscard]] bool read_packets(std::size_t& budget);
  [[nodiscard]] bool read_frames(std::size_t& budget);
  [[nodiscard]] bool parse_buffered();
  void schedule_flush();
  void flush();
  [[nodiscard]] long write_some();
  void written(std::size_t count);
  /// recv; 0 when there is nothing (or the link is gone), after lost() if so.
  [[nodiscard]] std::size_t receive(std::span<std::byte> into);
  void lost(std::string_view why);
  void interest();

  TcpCarrier& carrier_;
  LinkId link_;
  LinkInfo info_;
  UniqueFd socket_;
  bool connecting_, framed_ = false, flush_scheduled_ = false, blocked_ = false;

  std::array<std::byte, 4> length_{};
  std::vector<std::byte> packet_;
  std::size_t packet_got_ = 0;  ///< of length_, then of packet_
  bool in_packet_ = false;

  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::optional<Landing> landing_;
  std::size_t landed_ = 0;

  std::deque<Out> out_;
};

}  // namespace frenzy::transport
