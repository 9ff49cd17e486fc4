#pragma once
// A whole cluster in one thread on virtual time: coordinator, nodes and a client, each with an actor
// system and a session of its own, over the simulated network. Runners are simulated.

#include <memory>
#include <vector>

#include "frenzy/base/log.hpp"
#include "frenzy/client/client.hpp"
#include "frenzy/runner_host/runner_host.hpp"
#include "frenzy/transport/simulated_network.hpp"

namespace frenzy::testing {

struct ClusterOptions {
  std::uint64_t seed = 1;
  Bytes device_memory{64_MiB};
  Bytes job_bytes{16_MiB};     ///< what the simulated planner gives a job on each device
  std::uint64_t steps = 30;
  std::string state_directory;  ///< of the coordinator
};

/// How simulated runners misbehave.
struct RunnerFaults {
  bool never_ready = false;
  bool saves_never_come = false;
  std::uint64_t fails_at_step = 0;
  std::uint64_t freezes_at_step = 0;  ///< its process: it says nothing any more
  std::uint64_t save_every = 0;       ///< steps
  std::uint64_t saves_fail_from = UINT64_MAX, saves_fail_until = 0;  ///< of those on the way
  bool wrong_program = false;  ///< the node compiles to another program than the planner
};

class SimulatedCluster {
 public:
  explicit SimulatedCluster(const ClusterOptions& options);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;
  SimulatedCluster(SimulatedCluster&&) = delete;
  SimulatedCluster& operator=(SimulatedCluster&&) = delete;

  void start_coordinator();
  void stop_coordinator();
  /// "node1", "node2", ...
  void add_node();
  void kill_node(std::size_t number);
  void freeze_node(std::size_t number);
  /// The node leaves in good order.
  void leave_node(std::size_t number);

  /// Runs until `ready` or for `limit` of virtual time; false if the time is over.
  bool wait(const std::function<bool()>& ready, std::chrono::milliseconds limit);
  void run_for(std::chrono::milliseconds time);

  /// Asks as the client and waits for the answer.
  client::Answer ask(codec::Message message);
  /// Submits a job of that name; its id.
  Result<JobId> submit(const std::string& name);
  model::JobDetail show(const std::string& job);
  std::vector<model::NodeStatus> nodes();
  /// Waits until the job has ended or `limit`; its detail.
  model::JobDetail wait_end(const std::string& job, std::chrono::milliseconds limit);
  /// Follows a job to its end; every row, in the order told.
  std::vector<model::StepRow> watch(const std::string& job);
  /// Files among the pieces of a node.
  std::vector<std::string> pieces(std::size_t number);
  void write_on_node(std::size_t number, const std::string& path);
  /// All bytes that jobs hold on all nodes.
  Bytes held();

  RunnerFaults faults;
  std::size_t runners = 0;  ///< alive now, on all nodes
  MemoryLog log;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace frenzy::testing
