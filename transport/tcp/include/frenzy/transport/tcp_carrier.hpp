#pragma once
// Carrier over plain sockets: one connection per link for packets and frames. Payloads are read
// straight into their landing. Thread: the loop's.

#include <map>
#include <memory>

#include "frenzy/base/log.hpp"
#include "frenzy/transport/carrier.hpp"
#include "frenzy/transport/event_loop.hpp"

namespace frenzy::transport {

class TcpConnection;
class TcpListener;

/// A carrier whose links begin as sockets, and can take over sockets accepted elsewhere.
class SocketCarrier : public Carrier {
 public:
  /// A connection accepted by another process (see pass_socket.hpp); `first` are the bytes that
  /// were read from it.
  virtual LinkId adopt(UniqueFd socket, std::vector<std::byte> first) = 0;
};

class TcpCarrier final : public SocketCarrier {
 public:
  /// Both outlive the carrier.
  TcpCarrier(EventLoop& loop, Log& log);
  ~TcpCarrier() override;
  TcpCarrier(const TcpCarrier&) = delete;
  TcpCarrier& operator=(const TcpCarrier&) = delete;
  TcpCarrier(TcpCarrier&&) = delete;
  TcpCarrier& operator=(TcpCarrier&&) = delete;

  void start(CarrierEvents& events) override { events_ = &events; }
  void stop() override;
  Result<std::string> listen(const std::string& address) override;
  LinkId connect(const std::string& address) override;
  LinkId adopt(UniqueFd socket, std::vector<std::byte> first) override;
  void send_packet(LinkId link, std::vector<std::byte> bytes) override;
  std::vector<std::byte> offer(LinkId, std::span<const std::byte>) override { return {}; }
  void upgrade(LinkId link, std::span<const std::byte> their_offer) override;
  void send(LinkId link, const OutFrame& frame) override;
  void close(LinkId link) override;
  Result<int> release(LinkId link) override;
  std::string local_address(LinkId link) const override { return info_of(link).local; }
  std::string_view name(LinkId) const override { return "tcp"; }
  std::string_view reason(LinkId) const override { return "this process uses no other"; }
  std::uint32_t window() const override { return 64; }
  /// Both addresses of a live link.
  [[nodiscard]] LinkInfo info_of(LinkId link) const;

 private:
  friend class TcpConnection;
  using ConnectionP = std::shared_ptr<TcpConnection>;

  void accepted(UniqueFd socket);
  void begin_connect(LinkId link, const std::string& address);
  LinkId add(UniqueFd socket, LinkInfo info, LinkId link);
  void end(LinkId link, Error why);
  void post(std::function<void()> work);
  [[nodiscard]] ConnectionP find(LinkId link) const;

  EventLoop& loop_;
  Log& log_;
  CarrierEvents* events_ = nullptr;
  std::map<LinkId, ConnectionP> connections_;
  std::vector<std::unique_ptr<TcpListener>> listeners_;
  std::uint64_t next_link_ = 1;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace frenzy::transport
