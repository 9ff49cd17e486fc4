#pragma once
// The cluster under test: coordinator, nodes, runners and a client as simulated processes on one
// virtual time. Actors, planner, compiler, interpreter, collectives and sessions are those of production;
// simulated are the network, the crypto, the disks and the devices.
// Thread: one.

#include <set>

#include "defect.hpp"
#include "frenzy/base/memory_files.hpp"
#include "frenzy/client/client.hpp"
#include "frenzy/model/job_spec.hpp"
#include "frenzy/store/store.hpp"
#include "frenzy/training/planning.hpp"
#include "frenzy/transport/simulated_network.hpp"
#include "test_hashing.hpp"
#include "trace_log.hpp"

namespace frenzy::simulation {

class Process;

struct DeviceShape {
  Bytes memory{};
  double speed = 1;
};

struct ClusterOptions {
  std::uint64_t seed = 1;
  std::vector<std::vector<DeviceShape>> nodes{};  ///< devices of each node, alive or not
  transport::SimulatedNetworkOptions network{};
  std::string data{};             ///< the one data set, in the coordinator's content store
  std::string state_directory{};  ///< of the coordinator
  bool varied_plans = false;      ///< plans are changed at random: sharding, micro-batches, uneven and empty shards
  bool keeps_lines = false;
};

/// Hosts in faults: "coordinator", "client", "node1", "node2", ...
class Cluster {
 public:
  Cluster(const ClusterOptions& options, Defect& defect);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  Cluster(Cluster&&) = delete;
  Cluster& operator=(Cluster&&) = delete;

  void start_coordinator();
  void kill_coordinator();
  void start_node(std::size_t number);
  void kill_node(std::size_t number);
  /// It says goodbye first.
  void leave_node(std::size_t number);
  [[nodiscard]] bool node_runs(std::size_t number) const;
  /// Nothing of `from` reaches `to`, whatever process it is of.
  void cut(const std::string& from, const std::string& to);
  void heal_all();
  void freeze_node(std::size_t number);
  void thaw_all();
  /// As kill -9 of one runner; the first of that node.
  void crash_runner(std::size_t node);

  void submit(JobId id, const std::string& toml);
  void cancel(JobId id);
  /// Until `ready` or for `limit` of virtual time; false if the time is over.
  bool run_until(const std::function<bool()>& ready, std::chrono::nanoseconds limit);
  void run_for(std::chrono::nanoseconds time);

  /// What the coordinator's store knows of a job; nothing if it was never accepted.
  [[nodiscard]] std::optional<model::JobDetail> job(JobId id) const;
  [[nodiscard]] store::Store& store();
  /// Held by jobs, as the coordinator shows it.
  [[nodiscard]] std::vector<std::string> held();
  [[nodiscard]] std::size_t healthy_nodes();
  /// The disk of the node with that id.
  [[nodiscard]] Files& disk(NodeId node);
  [[nodiscard]] const ContentHashing& hashing() const;
  [[nodiscard]] TraceLog& log();
  [[nodiscard]] const DeviceWatch& watch() const;
  [[nodiscard]] std::size_t runners() const;
  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] const ClusterOptions& options() const;

 private:
  struct Node;
  struct Work;
  std::unique_ptr<Work> work_;
};

inline constexpr const char* kSaves = "/saves";
[[nodiscard]] NodeId node_id(std::size_t number);

}  // namespace frenzy::simulation
