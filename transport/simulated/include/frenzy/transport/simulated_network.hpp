#pragma once
// A network of simulated processes in one thread on virtual time. Delay is drawn from a seed;
// a lost frame arrives late, as a retransmission would; small and large frames of a link overtake
// each other. Links can be cut one way or both ways (what is on its way waits for heal), processes
// can be frozen, thawed and killed. Addresses are "name:port". No thread is created.
// Thread: the one that runs the VirtualTasks.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frenzy/base/rng.hpp"
#include "frenzy/base/units.hpp"
#include "frenzy/base/virtual_tasks.hpp"
#include "frenzy/transport/process_tasks.hpp"
#include "frenzy/transport/simulated_carrier.hpp"

namespace frenzy::transport {

struct SimulatedNetworkOptions {
  std::uint64_t seed = 1;
  std::chrono::nanoseconds min_delay{50'000}, max_delay{500'000};
  double loss = 0;                                      ///< share of frames sent again
  std::chrono::nanoseconds retransmit_after{200'000'000};
  BytesPerSecond bandwidth{0};                          ///< per link and direction; 0 is unlimited
};

/// One process: what a main() would make for it.
class SimulatedProcess {
 public:
  SimulatedProcess(SimulatedNetwork& network, std::string name, VirtualTasks& world);
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Tasks& tasks() { return tasks_; }
  [[nodiscard]] Carrier& carrier() { return carrier_; }

 private:
  friend class SimulatedNetwork;
  friend class SimulatedCarrier;
  std::string name_;
  ProcessTasks tasks_;
  SimulatedCarrier carrier_;
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(VirtualTasks& world, const SimulatedNetworkOptions& options);
  ~SimulatedNetwork();
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;
  SimulatedNetwork(SimulatedNetwork&&) = delete;
  SimulatedNetwork& operator=(SimulatedNetwork&&) = delete;

  /// A new process; one of the same name that was killed is replaced.
  SimulatedProcess& add(const std::string& name);

  /// Nothing more arrives at `to` from `from`.
  void cut(const std::string& from, const std::string& to);
  void cut_both(const std::string& a, const std::string& b);
  /// What waited arrives.
  void heal(const std::string& from, const std::string& to);
  void heal_both(const std::string& a, const std::string& b);
  void heal_all();
  void freeze(const std::string& name);
  void thaw(const std::string& name);
  void thaw_all();
  /// As kill -9: its peers see a reset, itself sees nothing more.
  void kill(const std::string& name);

 private:
  friend class SimulatedCarrier;
  enum class Lane : unsigned char { small, large };
  struct End {
    SimulatedProcess* process = nullptr;
    LinkId other;
    std::string other_name, route;
    TimePoint lane_free[2];     ///< when the last delivery towards this end is due
    std::vector<std::function<void(SimulatedCarrier&)>> held;
    bool open = true;           ///< this end still wants events
  };

  LinkId connect(SimulatedProcess& from, const std::string& address);
  void arrive(LinkId caller, const std::string& address, const std::string& local);
  void deliver(LinkId to, Lane lane, std::size_t bytes, std::function<void(SimulatedCarrier&)> run);
  void hand(LinkId to, std::function<void(SimulatedCarrier&)> run);
  void close(LinkId end, const Error& why);
  void release_held();
  [[nodiscard]] bool blocked(LinkId to) const;
  [[nodiscard]] std::chrono::nanoseconds delay();
  [[nodiscard]] SimulatedProcess* find(const std::string& name);

  VirtualTasks& world_;
  SimulatedNetworkOptions options_;
  Rng rng_;
  std::vector<std::unique_ptr<SimulatedProcess>> processes_;
  std::map<std::string, SimulatedProcess*> by_name_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::map<LinkId, End> ends_;
  std::uint64_t next_link_ = 1;
  std::uint64_t next_port_ = 40'000;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace frenzy::transport
