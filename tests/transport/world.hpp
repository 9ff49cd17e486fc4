#pragma once
// The contract suite's view of a carrier: hosts with sessions that can talk, freeze and die.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frenzy/base/log.hpp"
#include "frenzy/transport/make_session.hpp"

namespace frenzy::transport::test {

using namespace std::chrono_literals;

/// What a session told its host, in order.
class Recorder final : public SessionEvents {
 public:
  void peer_up(const PeerInfo& peer) override {
    ups.push_back(peer);
    if (on_up) on_up(peer);
  }
  void peer_down(PeerId peer, const Error& why) override {
    downs.emplace_back(peer, why);
    order.push_back("down");
  }
  void message(PeerId peer, std::span<const std::byte> bytes) override {
    messages.emplace_back(bytes.begin(), bytes.end());
    if (on_message) on_message(peer, messages.back());
  }
  std::vector<PeerInfo> ups;
  std::vector<std::pair<PeerId, Error>> downs;
  std::vector<std::vector<std::byte>> messages;
  std::vector<std::string> order;
  std::function<void(const PeerInfo&)> on_up;
  std::function<void(PeerId, const std::vector<std::byte>&)> on_message;
};

struct HostOptions {
  Role role = Role::node;
  std::uint8_t cluster_key = 7;  ///< every byte of it
  std::uint16_t version = kProtocolVersion;
  BodySeal body_seal = BodySeal::sealed;
  std::chrono::milliseconds heartbeat{400};
  std::vector<Role> admits;
  Handover* handover = nullptr;
  std::function<std::unique_ptr<Carrier>(Carrier&)> wrap;  ///< simulated hosts: puts faults in front of the carrier
};

/// One process (or a thread standing for one).
class Host {
 public:
  virtual ~Host() = default;
  /// Runs `work` on the host's loop and waits for it.
  virtual void on_loop(std::function<void()> work) = 0;
  virtual void freeze() = 0;
  virtual void thaw() = 0;
  /// Ends the host without a goodbye.
  virtual void kill() = 0;
  virtual Session& session() = 0;
  Recorder events;
  MemoryLog log;
  std::string address;  ///< where it listens
  Uuid uuid;
};

class World {
 public:
  virtual ~World() = default;
  /// A host that listens already.
  virtual Host& add(const HostOptions& options) = 0;
  /// Lets time pass until `ready` (asked on no loop in particular) or `limit`.
  virtual bool wait(const std::function<bool()>& ready, std::chrono::milliseconds limit) = 0;
  Host& add() { return add(HostOptions{}); }
  [[nodiscard]] virtual bool simulated() const { return false; }
};

[[nodiscard]] inline SessionOptions session_options(const HostOptions& host, Crypto& crypto,
                                                    std::uint8_t number) {
  SessionOptions out;
  out.role = host.role;
  out.uuid.bytes[0] = number;
  out.admission_key.fill(host.cluster_key);
  out.identity = crypto.key_pair();
  out.body_seal = host.body_seal;
  out.protocol_version = host.version;
  out.heartbeat = host.heartbeat;
  return out;
}

/// Asks on the host's loop.
template <class F>
auto ask(Host& host, F question) {
  decltype(question()) out{};
  host.on_loop([&] { out = question(); });
  return out;
}

/// Waits until `question`, asked on the host's loop, is true.
template <class F>
bool eventually(World& world, Host& host, F question, std::chrono::milliseconds limit = 10s) {
  return world.wait([&] { return ask(host, question); }, limit);
}

}  // namespace frenzy::transport::test
