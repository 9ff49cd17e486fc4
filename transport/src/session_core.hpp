#pragma once
// SessionCore: connections from their first packet to their end. A link is either pending (shaking
// hands, with a deadline, at most max_pending of them) or a peer. PeerId is the number of its link.
// Thread: the session's loop.

#include <map>
#include <memory>

#include "buffer_pool.hpp"
#include "frenzy/transport/make_session.hpp"
#include "handshake.hpp"
#include "peer.hpp"
#include "refusal_log.hpp"
#include "unread_budget.hpp"

namespace frenzy::transport {

class SessionCore final : public Session, private CarrierEvents, private PeerOwner {
 public:
  SessionCore(const SessionOptions& options, const SessionParts& parts);
  ~SessionCore() override;
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;
  SessionCore(SessionCore&&) = delete;
  SessionCore& operator=(SessionCore&&) = delete;

  Result<std::string> listen(const std::string& address) override;
  void connect(const std::string& address, std::function<void(Result<PeerId>)> done) override;
  void connect(const std::string& address, const Uuid& target,
               std::function<void(Result<PeerId>)> done) override;
  void send(PeerId peer, std::vector<std::byte> message, Done done) override;
  void post_receive(PeerId peer, BodyTag tag, std::span<std::byte> into, Done done) override;
  void send_body(PeerId peer, BodyTag tag, std::span<const std::byte> body, Done done) override;
  void close(PeerId peer, const std::string& reason) override;
  PeerStats stats(PeerId peer) const override;
  Tasks& tasks() override { return parts_.tasks; }

 private:
  using Connected = std::function<void(Result<PeerId>)>;
  struct Pending {
    LinkInfo info;
    Uuid target;
    Connected done;                        ///< outgoing only
    std::unique_ptr<Handshake> handshake;  ///< from link_up on
    std::unique_ptr<Peer> peer;            ///< once the keys are settled
    bool spoke = false;                    ///< a first packet came
    TimerId deadline = TimerId::none;
    std::optional<Error> reason;
  };

  void link_up(LinkId link, const LinkInfo& info) override;
  void packet(LinkId link, std::span<const std::byte> bytes) override;
  void framed(LinkId link) override;
  Result<Landing> header(LinkId link, std::span<const std::byte> bytes) override;
  void arrived(LinkId link, std::uint64_t token) override;
  void sent(LinkId link, std::uint64_t token) override;
  void alive(LinkId link) override;
  void down(LinkId link, const Error& why) override;

  void peer_ready(Peer& peer) override;
  Status hold_unread(LinkId link, std::uint64_t bytes) override;
  void release_unread(LinkId link, std::uint64_t bytes) override { unread_.release(link, bytes); }
  void post(Task task) override;
  TimerId after(std::chrono::nanoseconds delay, Task task) override;
  void cancel(TimerId timer) override;

  [[nodiscard]] Peer* any_peer(LinkId link);
  [[nodiscard]] Peer* up_peer(PeerId peer) const;
  void lost(Done done, PeerId peer);
  void start_deadline(LinkId link, Pending& pending);
  void make_room();
  void refuse(LinkId link, Pending& pending, HandshakeFailure failure);
  /// True if the connection was for somebody else and is no longer ours.
  [[nodiscard]] bool hand_over(LinkId link, Pending& pending, std::span<const std::byte> hello);
  void finish(LinkId link, Pending& pending);
  void arm_tick();
  void tick();

  SessionOptions options_;
  SessionParts parts_;
  BufferPool pool_;
  RefusalLog refusals_;
  UnreadBudget unread_;
  std::map<LinkId, Pending> pending_;
  std::map<LinkId, std::unique_ptr<Peer>> peers_;
  TimerId tick_timer_ = TimerId::none;
  TimePoint tick_due_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< posted work dies with the session
};

}  // namespace frenzy::transport
