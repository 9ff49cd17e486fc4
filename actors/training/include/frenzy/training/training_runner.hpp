#pragma once
// TrainingRunner: the body of a runner that really trains. Turns messages into calls of the executor's
// JobRunner and its events into messages; connects to the job's runners on other nodes.
//
// Prepare (compile, open the data) -> RunnerReady -> ConnectRunners (peers, arenas, initial state) ->
// StartJob -> steps -> save -> RunnerEnded. Runners tell each other (Goodbye) when they have done their last
// step; none leaves while another may still need it. What blocks is done by the loop's blocking pool.

#include <functional>
#include <map>
#include <memory>

#include "frenzy/base/files.hpp"
#include "frenzy/base/log.hpp"
#include "frenzy/runner_host/runner_host.hpp"
#include "frenzy/training/backend.hpp"
#include "frenzy/training/injected_fault.hpp"
#include "frenzy/transport/session.hpp"

namespace frenzy::training {

/// The live peers of a runner's session, by their names. Thread: the loop.
class PeerBook final : public transport::SessionEvents {
 public:
  void peer_up(const transport::PeerInfo& peer) override;
  void peer_down(transport::PeerId peer, const Error& why) override;
  void message(transport::PeerId peer, std::span<const std::byte> bytes) override;

  [[nodiscard]] const transport::PeerInfo* find(const Uuid& uuid) const;
  /// Null until it is connected; refused if who calls itself that runner shows another node's identity.
  [[nodiscard]] Result<const transport::PeerInfo*> find(const codec::RunnerPeer& peer) const;
  /// Called after every change; `why` is set when a peer was lost.
  void on_change(std::function<void(const Uuid& uuid, const Error* why)> changed) { changed_ = std::move(changed); }
  /// Called when a peer says that it has done its last step.
  void on_done(std::function<void(const Uuid& uuid)> done) { done_ = std::move(done); }

 private:
  std::map<Uuid, transport::PeerInfo> peers_;
  std::function<void(const Uuid&, const Error*)> changed_;
  std::function<void(const Uuid&)> done_;
};

/// All outlive the runner.
struct TrainingParts {
  Tasks* tasks = nullptr;
  transport::Session* session = nullptr;
  PeerBook* peers = nullptr;
  Files* files = nullptr;
  const ContentHashing* hashing = nullptr;
  Uuid uuid{};  ///< name of this runner's session
  Backend backend = cpu_backend();
  std::vector<InjectedFault> faults{};
};

[[nodiscard]] std::unique_ptr<runner_host::Runner> make_training_runner(const TrainingParts& parts,
                                                                        const codec::LaunchRunner& launch,
                                                                        runner_host::RunnerSink sink);

/// Measures the processor, and from it its virtual devices. Blocks for about a second.
[[nodiscard]] Result<codec::CalibrationReport> measure_devices(const Clock& clock,
                                                               const std::vector<model::DeviceSpec>& devices);

}  // namespace frenzy::training
