#include "frenzy/transport/ucx_carrier.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "frenzy/transport/trusted_networks.hpp"
#include "frenzy/transport/ucx_offer.hpp"
#include "listener_guard.hpp"
#include "ucx_worker.hpp"

namespace frenzy::transport {

namespace {

class UcxCarrier final : public SocketCarrier, private CarrierEvents, private UcxWorkerEvents {
 public:
  UcxCarrier(EventLoop& loop, Log& log, UcxOptions options, TrustedNetworks trusted)
      : loop_(loop), log_(log), options_(std::move(options)), trusted_(std::move(trusted)), gate_(loop, log) {}
  ~UcxCarrier() override { stop(); }
  UcxCarrier(const UcxCarrier&) = delete;
  UcxCarrier& operator=(const UcxCarrier&) = delete;
  UcxCarrier(UcxCarrier&&) = delete;
  UcxCarrier& operator=(UcxCarrier&&) = delete;

  [[nodiscard]] Status open();

  void start(CarrierEvents& events) override {
    events_ = &events;
    gate_.start(*this);
  }
  void stop() override;
  Result<std::string> listen(const std::string& address) override { return gate_.listen(address); }
  LinkId connect(const std::string& address) override { return gate_.connect(address); }
  LinkId adopt(UniqueFd socket, std::vector<std::byte> first) override {
    return gate_.adopt(std::move(socket), std::move(first));
  }
  void send_packet(LinkId link, std::vector<std::byte> bytes) override {
    gate_.send_packet(link, std::move(bytes));
  }
  std::vector<std::byte> offer(LinkId link, std::span<const std::byte> theirs) override;
  void upgrade(LinkId link, std::span<const std::byte> their_offer) override;
  void send(LinkId link, const OutFrame& frame) override;
  void close(LinkId link) override;
  Result<int> release(LinkId link) override { return gate_.release(link); }
  std::string local_address(LinkId link) const override { return gate_.local_address(link); }
  std::string_view name(LinkId link) const override {
    const auto found = lanes_.find(link);
    return found != lanes_.end() && found->second.worker != nullptr ? "ucx" : "tcp";
  }
  std::string_view reason(LinkId link) const override {
    const auto found = lanes_.find(link);
    if (found == lanes_.end() || found->second.worker == nullptr) {
      return "another host, and not both sides trust the network with UCX";
    }
    return workers_.contains(link) ? "one host: shared memory" : "both sides trust the network";
  }
  // Unconsumed frames must fit the receiver's shared-memory FIFO of 256, or the sender spins while it
  // is stopped.
  std::uint32_t window() const override { return 32; }

 private:
  struct Lane {
    UcxWorker* worker = nullptr;  ///< none: frames stay on the gate socket
    std::uint64_t token = 0;      ///< their name for the link
    std::string guarded;          ///< address admitted to the UCX port
    bool gate_down = false, worker_down = false;
    std::optional<Error> why;     ///< set once it is going down
  };

  void link_up(LinkId link, const LinkInfo& info) override { events_->link_up(link, info); }
  void packet(LinkId link, std::span<const std::byte> bytes) override;
  void framed(LinkId link) override { events_->framed(link); }
  Result<Landing> header(LinkId link, std::span<const std::byte> bytes) override {
    return events_->header(link, bytes);
  }
  void arrived(LinkId link, std::uint64_t token) override { events_->arrived(link, token); }
  void sent(LinkId link, std::uint64_t token) override { events_->sent(link, token); }
  void alive(LinkId link) override { events_->alive(link); }
  void down(LinkId link, const Error& why) override;

  Result<Landing> ucx_header(std::uint64_t link, std::span<const std::byte> bytes) override {
    return events_->header(LinkId{link}, bytes);
  }
  void ucx_arrived(std::uint64_t link, std::uint64_t token, bool whole) override;
  void ucx_sent(std::uint64_t link, std::uint64_t token, bool whole) override;
  void ucx_failed(std::uint64_t link, const std::string& why) override;
  void ucx_closed(std::uint64_t link) override;

  [[nodiscard]] UcxOffer offer_for(LinkId link) const;
  [[nodiscard]] bool may_share_memory(LinkId link, std::span<const std::byte> theirs) const;
  [[nodiscard]] Status start_worker(LinkId link);
  void drop_worker(LinkId link);
  void free_dropped();
  void use(LinkId link, UcxPath path, const UcxOffer& theirs);
  void end(LinkId link, Error why);
  void end_later(LinkId link, Error why);
  void finish_if_done(LinkId link);
  [[nodiscard]] Status open_shared_memory();
  [[nodiscard]] Status open_network();
  [[nodiscard]] std::string route(LinkId link) const { return route_of(gate_.info_of(link)); }
  [[nodiscard]] Lane* live_lane(LinkId link);

  EventLoop& loop_;
  Log& log_;
  UcxOptions options_;
  TrustedNetworks trusted_;
  TcpCarrier gate_;
  CarrierEvents* events_ = nullptr;
  HostPlace place_;
  ListenerGuard guard_;
  std::unique_ptr<UcxContext> shared_memory_, networks_;
  /// Over shared memory each link has a worker, so a receive queue, of its own: a sender that is stopped or
  /// killed while it writes leaves a queue that nobody behind it can use.
  std::map<LinkId, std::unique_ptr<UcxWorker>> workers_;
  std::vector<std::unique_ptr<UcxWorker>> dropped_;
  std::unique_ptr<UcxWorker> network_;
  std::map<LinkId, Lane> lanes_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

Status UcxCarrier::open() {
  Status good;
  if (options_.shared_memory) {
    good = open_shared_memory();
    if (!good) good = at("no shared memory between processes", good.error());
  }
  if (good && !trusted_.empty()) good = open_network();
  if (good || options_.use == UcxUse::require) return good;
  log_.warn("ucx.unavailable", "why='{}' instead=tcp", good.error());
  return {};
}

// The first worker only shows that there can be some.
Status UcxCarrier::open_shared_memory() {
  const auto place = host_place();
  if (!place) return place.error();
  auto context = UcxContext::create("posix,self", "");
  if (!context) return context.error();
  const auto worker = UcxWorker::create(**context, *this);
  if (!worker) return worker.error();
  place_ = *place;
  shared_memory_ = std::move(*context);
  return {};
}

Status UcxCarrier::open_network() {
  const auto before = listening_sockets();
  auto context = UcxContext::create("tcp", options_.devices);
  if (!context) return at("no UCX over the trusted networks", context.error());
  auto worker = UcxWorker::create(**context, *this);
  if (!worker) return at("no UCX over the trusted networks", worker.error());
  networks_ = std::move(*context);
  std::vector<int> opened;
  std::ranges::set_difference(listening_sockets(), before, std::back_inserter(opened));
  const auto guarded = guard_.protect(std::move(opened));
  if (!guarded) return guarded;
  network_ = std::move(*worker);
  return loop_.add(*network_);
}

void UcxCarrier::stop() {
  alive_ = std::make_shared<int>(0);
  events_ = nullptr;
  gate_.stop();
  for (auto& [link, worker] : workers_) dropped_.push_back(std::move(worker));
  workers_.clear();
  if (network_) dropped_.push_back(std::move(network_));
  free_dropped();
  lanes_.clear();
}

std::vector<std::byte> UcxCarrier::offer(LinkId link, std::span<const std::byte> theirs) {
  if (may_share_memory(link, theirs)) {
    if (auto started = start_worker(link); !started) {
      log_.warn("ucx.worker", "route='{}' why='{}' instead=tcp", route(link), started.error());
    }
  }
  return encode(offer_for(link));
}

// The caller knows the addresses alone: within one host they are equal.
bool UcxCarrier::may_share_memory(LinkId link, std::span<const std::byte> theirs) const {
  if (!shared_memory_) return false;
  const auto info = gate_.info_of(link);
  if (info.outgoing) return host_of(info.local) == host_of(info.remote);
  const auto offered = decode_ucx_offer(theirs);
  UcxOffer willing;
  willing.shared_memory = true;
  willing.place = place_;
  return offered && agree(willing, *offered) == UcxPath::shared_memory;
}

Status UcxCarrier::start_worker(LinkId link) {
  auto worker = UcxWorker::create(*shared_memory_, *this);
  if (!worker) return worker.error();
  if (auto added = loop_.add(**worker); !added) return added;
  workers_[link] = std::move(*worker);
  return {};
}

// Later, for a worker may be telling us something just now.
void UcxCarrier::drop_worker(LinkId link) {
  const auto found = workers_.find(link);
  if (found == workers_.end()) return;
  dropped_.push_back(std::move(found->second));
  workers_.erase(found);
  loop_.post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) free_dropped();
  });
}

void UcxCarrier::free_dropped() {
  for (auto& worker : dropped_) loop_.remove(*worker);
  dropped_.clear();
}

UcxOffer UcxCarrier::offer_for(LinkId link) const {
  UcxOffer out;
  out.token = link.value;
  out.place = place_;
  if (const auto found = workers_.find(link); found != workers_.end()) {
    out.shared_memory = true;
    out.shared_memory_address = found->second->address();
  }
  if (network_ && trusted_.contains(gate_.info_of(link).remote)) {
    out.network = true;
    out.network_address = network_->address();
  }
  return out;
}

void UcxCarrier::upgrade(LinkId link, std::span<const std::byte> their_offer) {
  const auto theirs = decode_ucx_offer(their_offer);
  if (!theirs) return end_later(link, at(route(link), theirs.error()));
  const auto path = agree(offer_for(link), *theirs);
  if (path == UcxPath::none && options_.use == UcxUse::require) {
    return end_later(link, error(Errc::refused, "{}: the two sides share neither a host nor a "
                                 "trusted network, and carrier = ucx is required", route(link)));
  }
  log_.debug("ucx.path", "route='{}' path={}", route(link),
             path == UcxPath::shared_memory ? "shared-memory"
             : path == UcxPath::network     ? "network"
                                            : "gate-socket");
  if (path != UcxPath::shared_memory) drop_worker(link);
  if (path != UcxPath::none) return use(link, path, *theirs);
  lanes_[link];
  gate_.upgrade(link, {});
}

void UcxCarrier::use(LinkId link, UcxPath path, const UcxOffer& theirs) {
  auto& lane = lanes_[link];
  lane.token = theirs.token;
  const bool local = path == UcxPath::shared_memory;
  auto& worker = local ? *workers_.at(link) : *network_;
  Status ready;
  if (!local) {
    const auto remote = gate_.info_of(link).remote;
    ready = guard_.allow(remote);
    if (ready) lane.guarded = remote;
  }
  const auto& address = local ? theirs.shared_memory_address : theirs.network_address;
  if (ready && gate_.info_of(link).outgoing) ready = worker.open(link.value, address);
  else if (ready) worker.expect(link.value, address);
  if (!ready) return end_later(link, at(route(link), ready.error()));
  lane.worker = &worker;
  loop_.post([this, link, alive = std::weak_ptr(alive_)] {
    if (!alive.expired() && live_lane(link) != nullptr) events_->framed(link);
  });
}

UcxCarrier::Lane* UcxCarrier::live_lane(LinkId link) {
  const auto found = lanes_.find(link);
  return found == lanes_.end() || found->second.why ? nullptr : &found->second;
}

void UcxCarrier::packet(LinkId link, std::span<const std::byte> bytes) {
  const auto* lane = live_lane(link);
  if (lane == nullptr) return events_->packet(link, bytes);
  end(link, error(Errc::corrupt, "{}: a packet after the handshake", route(link)));
}

void UcxCarrier::send(LinkId link, const OutFrame& frame) {
  const auto* lane = live_lane(link);
  if (lane == nullptr) return;
  if (lane->worker == nullptr) return gate_.send(link, frame);
  lane->worker->send(link.value, lane->token, frame);
}

void UcxCarrier::close(LinkId link) {
  const auto found = lanes_.find(link);
  if (found == lanes_.end() || found->second.worker == nullptr) return gate_.close(link);
  end(link, error(Errc::unreachable, "{}: closed here", route(link)));
}

void UcxCarrier::end_later(LinkId link, Error why) {
  loop_.post([this, link, why = std::move(why), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) end(link, why);
  });
}

// Both ways have to be down before the session may reuse its memory.
void UcxCarrier::end(LinkId link, Error why) {
  auto& lane = lanes_[link];
  if (lane.why) return;
  lane.why = std::move(why);
  if (!lane.gate_down) gate_.close(link);
  if (lane.worker == nullptr) lane.worker_down = true;
  else lane.worker->close(link.value);
}

void UcxCarrier::down(LinkId link, const Error& why) {
  const auto found = lanes_.find(link);
  if (found == lanes_.end()) {
    drop_worker(link);
    return events_->down(link, why);
  }
  found->second.gate_down = true;
  end(link, why);
  finish_if_done(link);
}

void UcxCarrier::ucx_closed(std::uint64_t link) {
  const auto found = lanes_.find(LinkId{link});
  if (found == lanes_.end()) return;
  found->second.worker_down = true;
  finish_if_done(LinkId{link});
}

void UcxCarrier::finish_if_done(LinkId link) {
  const auto found = lanes_.find(link);
  if (found == lanes_.end() || !found->second.gate_down || !found->second.worker_down) return;
  if (!found->second.guarded.empty()) guard_.forbid(found->second.guarded);
  const auto why = *found->second.why;
  lanes_.erase(found);
  drop_worker(link);
  events_->down(link, why);
}

void UcxCarrier::ucx_arrived(std::uint64_t link, std::uint64_t token, bool whole) {
  if (live_lane(LinkId{link}) == nullptr) return;
  if (!whole) return ucx_failed(link, "a payload did not arrive");
  events_->alive(LinkId{link});
  events_->arrived(LinkId{link}, token);
}

void UcxCarrier::ucx_sent(std::uint64_t link, std::uint64_t token, bool whole) {
  if (live_lane(LinkId{link}) == nullptr) return;
  if (!whole) return ucx_failed(link, "a frame could not be sent");
  events_->sent(LinkId{link}, token);
}

void UcxCarrier::ucx_failed(std::uint64_t link, const std::string& why) {
  if (live_lane(LinkId{link}) == nullptr) return;
  end(LinkId{link}, error(Errc::unreachable, "{}: {}", route(LinkId{link}), why));
}

}  // namespace

Result<std::unique_ptr<SocketCarrier>> make_ucx_carrier(EventLoop& loop, Log& log,
                                                        const UcxOptions& options) {
  auto trusted = TrustedNetworks::parse(options.trusted_networks);
  if (!trusted) return trusted.error();
  auto carrier = std::make_unique<UcxCarrier>(loop, log, options, std::move(*trusted));
  const auto opened = carrier->open();
  if (!opened) return opened.error();
  return std::unique_ptr<SocketCarrier>(std::move(carrier));
}

}  // namespace frenzy::transport
