#include "simulated_cluster.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/actors/node.hpp"
#include "frenzy/base/memory_files.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/simulated_crypto.hpp"
#include "simulated_runner.hpp"
#include "test_hashing.hpp"

namespace frenzy::testing {
namespace {

using transport::Role;

struct TestConfig : caf::actor_system_config {
  TestConfig() { set("scheduler.policy", caf::atom("testing")); }
};

/// One simulated process: session, actor system, files.
struct Process {
  Process(transport::SimulatedNetwork& network, const std::string& name, Role role, Log& log, std::uint8_t number,
          transport::SessionEvents* client)
      : process(network.add(name)), crypto(transport::make_simulated_crypto(number)), system(config) {
    env = {&process.tasks(), &log};
    bridge = std::make_unique<actors::SessionBridge>(env);
    transport::Key key{};
    key.fill(7);
    admission = std::make_unique<transport::ClusterAdmission>(*crypto, key);
    transport::SessionOptions options;
    options.role = role;
    options.uuid.bytes.fill(number);
    options.admission_key = key;
    options.identity = crypto->key_pair();
    transport::SessionEvents& events = client != nullptr ? *client : static_cast<transport::SessionEvents&>(*bridge);
    session = std::move(transport::make_session(options, {process.carrier(), process.tasks(), *crypto, log, *admission, events})).value();
    address = session->listen(name + ":1").value();
  }
  ~Process() {
    if (root) caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
    if (gateway) caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
    root = gateway = nullptr;
    bridge->detach();
    scheduler().run();
    session.reset();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process(Process&&) = delete;
  Process& operator=(Process&&) = delete;

  void make_gateway() {
    gateway = actors::spawn_gateway(system, env, *session);
    bridge->attach(*session, gateway);
  }
  caf::scheduler::test_coordinator& scheduler() { return dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler()); }

  transport::SimulatedProcess& process;
  std::unique_ptr<transport::Crypto> crypto;
  std::unique_ptr<transport::ClusterAdmission> admission;
  actors::Environment env;
  std::unique_ptr<actors::SessionBridge> bridge;
  std::unique_ptr<transport::Session> session;
  std::string address;
  MemoryFiles files;
  test::TestHashing hashing;
  content::ContentStore content{files, hashing, "/content"};
  content::ContentStore saves{files, hashing, "/saves", content::Layout::pieces};
  std::unique_ptr<store::Store> store;
  std::unique_ptr<runner_host::RunnerHost> runners;
  TestConfig config;
  caf::actor_system system;
  caf::actor gateway, root;
  bool dead = false;
};

}  // namespace

struct SimulatedCluster::Impl {
  explicit Impl(SimulatedCluster& cluster, const ClusterOptions& o)
      : owner(cluster), options(o), network(time, {.seed = o.seed}), ids(o.seed) {}

  SimulatedCluster& owner;
  ClusterOptions options;
  VirtualTasks time;
  transport::SimulatedNetwork network;
  Rng ids;
  StartTimes starts;
  std::unique_ptr<client::Client> client;
  std::unique_ptr<Process> client_process, coordinator;
  std::vector<std::unique_ptr<Process>> nodes;

  void pump() {
    const auto run = [](Process* process) { return process != nullptr && !process->dead && process->scheduler().run() > 0; };
    bool more = true;
    while (more) {
      more = run(coordinator.get());
      for (const auto& node : nodes) more = run(node.get()) || more;
    }
  }

  [[nodiscard]] Result<model::PlannedJob> plan(const model::ClusterSpec& cluster) const {
    model::PlannedJob out;
    for (const auto& node : cluster.nodes) {
      for (const auto& device : node.devices) {
        if (device.free < options.job_bytes) continue;
        model::DeviceShare share{.device = device.id, .device_name = device.name, .node = node.id, .node_name = node.name,
                                 .why = "simulated"};
        share.predicted[model::Part::weights] = options.job_bytes;
        out.shares.push_back(share);
      }
    }
    out.plan.model.layers = 1;
    if (out.shares.empty()) return error(Errc::does_not_fit, "needs {}", options.job_bytes);
    return out;
  }

  void connect_client() {
    client_process.reset();
    client = std::make_unique<client::Client>(time);
    client_process = std::make_unique<Process>(network, "client", Role::client, owner.log, 200, client.get());
    client->attach(*client_process->session);
    bool up = false;
    client->connect("coordinator:1", [&](Status status) { up = status.ok(); });
    owner.wait([&] { return up; }, std::chrono::seconds{5});
  }
};

SimulatedCluster::SimulatedCluster(const ClusterOptions& options) : impl_(std::make_unique<Impl>(*this, options)) {}

SimulatedCluster::~SimulatedCluster() {
  impl_->client_process.reset();
  impl_->nodes.clear();
  impl_->coordinator.reset();
}

void SimulatedCluster::start_coordinator() {
  auto& i = *impl_;
  i.coordinator = std::make_unique<Process>(i.network, "coordinator", Role::coordinator, log, 100, nullptr);
  auto& p = *i.coordinator;
  p.store = std::move(store::Store::open(i.options.state_directory)).value();
  p.make_gateway();
  actors::CoordinatorParts parts{.env = p.env, .gateway = p.gateway, .store = p.store.get(), .content = &p.content};
  parts.parse = [steps = i.options.steps](const std::string& toml) -> Result<model::JobSpec> {
    if (toml.empty()) return error(Errc::invalid_argument, "job.toml:1:1: the file is empty");
    model::JobSpec spec;
    spec.name = toml;
    spec.recipe.steps = steps;
    return spec;
  };
  parts.plan = [&i](const model::JobSpec&, const model::ClusterSpec& cluster, const model::Calibration&, Epoch) { return i.plan(cluster); };
  parts.workers = actors::Workers::in_place;
  parts.jobs = p.store->jobs().value();
  p.root = actors::spawn_coordinator(p.system, std::move(parts));
  i.connect_client();
}

void SimulatedCluster::stop_coordinator() {
  impl_->client_process.reset();
  impl_->network.kill("client");
  impl_->network.kill("coordinator");
  impl_->coordinator.reset();
}

void SimulatedCluster::add_node() {
  auto& i = *impl_;
  const auto number = static_cast<std::uint8_t>(i.nodes.size() + 1);
  const auto name = format("node{}", number);
  i.nodes.push_back(std::make_unique<Process>(i.network, name, Role::node, log, number, nullptr));
  auto& p = *i.nodes.back();
  p.runners = runner_host::make_in_process_host(
      p.process.tasks(),
      [this, &i, &p](const codec::LaunchRunner& task, runner_host::RunnerSink sink) {
        return std::make_unique<SimulatedRunner>(p.process.tasks(), *this, i.starts, i.options.steps, p.saves, task, std::move(sink));
      },
      [](const std::vector<model::DeviceSpec>& devices) -> Result<codec::CalibrationReport> {
        codec::CalibrationReport report;
        for (const auto& device : devices) report.devices.push_back({device.id, {.matrix_rate = {1e9}}});
        return report;
      });
  p.make_gateway();
  actors::NodeParts parts{.env = p.env, .gateway = p.gateway, .runners = p.runners.get(), .content = &p.content, .saves = &p.saves};
  parts.compile = [this](const model::Plan&, DeviceId) -> Result<actors::CompiledProgram> {
    return actors::CompiledProgram{{faults.wrong_program ? 1U : 0U, 0}, {1 << 20}};
  };
  parts.workers = actors::Workers::in_place;
  parts.coordinator = "coordinator:1";
  parts.node.id.uuid.bytes.fill(number);
  parts.node.name = name;
  parts.node.address = p.address;
  for (std::uint8_t d = 0; d < 2; ++d) {
    model::DeviceSpec device;
    device.id.uuid.bytes.fill(number);
    device.id.uuid.bytes[0] = d;
    device.name = format("{}/cpu{}", name, d);
    device.memory = device.free = i.options.device_memory;
    parts.node.devices.push_back(device);
  }
  p.root = actors::spawn_node(p.system, std::move(parts));
}

void SimulatedCluster::kill_node(std::size_t number) {
  impl_->network.kill(format("node{}", number));
  auto& node = *impl_->nodes[number - 1];
  node.dead = true;
  node.runners.reset();  // they die with their process
}

void SimulatedCluster::freeze_node(std::size_t number) { impl_->network.freeze(format("node{}", number)); }

void SimulatedCluster::leave_node(std::size_t number) {
  caf::anon_send(impl_->nodes[number - 1]->root, actors::msg(actors::LeaveCluster{"the test says so"}));
}

bool SimulatedCluster::wait(const std::function<bool()>& ready, std::chrono::milliseconds limit) {
  auto& time = impl_->time;
  const auto end = time.clock().now() + limit;
  while (true) {
    impl_->pump();
    if (ready()) return true;
    if (time.clock().now() >= end) return false;
    if (!time.run_one()) time.run_for(std::chrono::milliseconds{1});
  }
}

void SimulatedCluster::run_for(std::chrono::milliseconds limit) {
  (void)wait([] { return false; }, limit);
}

client::Answer SimulatedCluster::ask(codec::Message message) {
  client::Answer out = error(Errc::timed_out, "nothing came");
  bool answered = false;
  impl_->client->ask(std::move(message), std::chrono::seconds{20}, [&](client::Answer answer) {
    out = std::move(answer);
    answered = true;
  });
  (void)wait([&] { return answered; }, std::chrono::seconds{30});
  return out;
}

Result<JobId> SimulatedCluster::submit(const std::string& name) {
  const auto id = JobId::random(impl_->ids);
  const auto answer = actors::expect<codec::JobAccepted>(ask(codec::SubmitJob{.job = id, .toml = name}));
  if (!answer) return answer.error();
  return answer->job;
}

model::JobDetail SimulatedCluster::show(const std::string& job) {
  return actors::expect<codec::JobDetail>(ask(codec::ShowJob{job})).value().job;
}

std::vector<model::NodeStatus> SimulatedCluster::nodes() {
  return actors::expect<codec::NodeList>(ask(codec::ListNodes{})).value().nodes;
}

model::JobDetail SimulatedCluster::wait_end(const std::string& job, std::chrono::milliseconds limit) {
  const auto end = impl_->time.clock().now() + limit;
  auto detail = show(job);
  while (!model::is_terminal(detail.summary.state) && impl_->time.clock().now() < end) {
    run_for(std::chrono::milliseconds{100});
    detail = show(job);
  }
  return detail;
}

std::vector<model::StepRow> SimulatedCluster::watch(const std::string& job) {
  std::vector<model::StepRow> rows;
  bool last = false;
  impl_->client->stream(codec::WatchJob{.job = job, .follow = true}, [&](client::Answer answer) {
    const auto* update = answer ? std::get_if<codec::JobUpdate>(&*answer) : nullptr;
    last = update == nullptr || update->last;
    if (update != nullptr) rows.insert(rows.end(), update->rows.begin(), update->rows.end());
  });
  (void)wait([&] { return last; }, std::chrono::seconds{60});
  return rows;
}

std::vector<std::string> SimulatedCluster::pieces(std::size_t number) {
  const auto found = impl_->nodes[number - 1]->files.list("/saves/pieces");
  return found ? *found : std::vector<std::string>{};
}

void SimulatedCluster::write_on_node(std::size_t number, const std::string& path) {
  FRENZY_CHECK(impl_->nodes[number - 1]->files.write_text(path, "left behind", FileMode::shared).ok());
}

Bytes SimulatedCluster::held() {
  Bytes sum;
  for (const auto& node : nodes()) {
    if (node.state != model::NodeState::healthy) continue;
    for (const auto bytes : node.held) sum += bytes;
  }
  return sum;
}

}  // namespace frenzy::testing
