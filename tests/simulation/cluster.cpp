#include "cluster.hpp"

#include <caf/send.hpp>

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/node.hpp"
#include "frenzy/executor/pacer.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "process.hpp"
#include "runner_process.hpp"
#include "varied_plan.hpp"

namespace frenzy::simulation {
namespace {

using transport::Role;

constexpr std::uint32_t kChunk = 700;
constexpr double kRate = 1e8;  // flops a second at speed 1

Uuid uuid_of(std::uint8_t kind, std::size_t number) {
  Uuid out;
  out.bytes.fill(kind);
  out.bytes[0] = static_cast<std::uint8_t>(number);
  return out;
}

std::string host_of(const std::string& process) { return process.substr(0, process.find('.')); }

}  // namespace

NodeId node_id(std::size_t number) { return {uuid_of(1, number)}; }

struct Cluster::Node {
  explicit Node(const ContentHashing& hashing)
      : content(disk, hashing, "/content"), saves(disk, hashing, kSaves, content::Layout::pieces) {}
  MemoryFiles disk;
  content::ContentStore content, saves;
  std::unique_ptr<Process> process;
  std::unique_ptr<runner_host::RunnerHost> runners;
  std::map<std::string, codec::LaunchRunner> launched;  ///< processes of its runners that live
  std::map<std::string, runner_host::RunnerSink> sinks;
};

struct Cluster::Work {
  Work(const ClusterOptions& o, Defect& d)
      : options(o), defect(d), network(time, o.network), log(time.clock(), o.keeps_lines), rng(o.seed),
        content(disk, hashing, "/content"), backend(simulated_backend(d, {})) {
    for (std::size_t n = 1; n <= options.nodes.size(); ++n) {
      nodes.push_back(std::make_unique<Node>(hashing));
      for (std::size_t i = 0; i < options.nodes[n - 1].size(); ++i) {
        const auto device = device_of(n, i);
        watch.add_device(device.id, device.name, device.memory);
      }
    }
  }

  [[nodiscard]] model::DeviceSpec device_of(std::size_t node, std::size_t index) const {
    const auto& shape = options.nodes[node - 1][index];
    model::DeviceSpec out;
    out.id = {uuid_of(static_cast<std::uint8_t>(10 + node), index + 1)};
    out.name = format("node{}/cpu{}", node, index);
    out.memory = out.free = shape.memory;
    out.slowdown = executor::default_slowdown(shape.speed);
    return out;
  }

  /// Rules of hosts hold for a process that starts under them.
  void apply_cuts() {
    for (const auto& a : processes()) {
      for (const auto& b : processes()) {
        if (cuts.contains({host_of(a), host_of(b)})) network.cut(a, b);
      }
    }
  }
  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> out{"coordinator", "client"};
    for (std::size_t n = 1; n <= nodes.size(); ++n) {
      out.push_back(format("node{}", n));
      for (const auto& [name, launch] : nodes[n - 1]->launched) out.push_back(name);
    }
    return out;
  }

  void store_data() {
    const auto bytes = std::as_bytes(std::span(options.data));
    manifest.path = "data.txt";
    manifest.size = {bytes.size()};
    manifest.chunk_bytes = kChunk;
    manifest.digest = hashing.digest(bytes);
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      const auto chunk = bytes.subspan(at, std::min<std::size_t>(kChunk, bytes.size() - at));
      manifest.chunks.push_back(hashing.digest(chunk));
      FRENZY_CHECK(content.put(manifest.chunks.back(), chunk).ok());
    }
  }

  Result<model::PlannedJob> plan(const model::JobSpec& job, const model::ClusterSpec& cluster,
                                 const model::Calibration& calibration, Epoch epoch) {
    auto planned = training::plan_job_on(backend, job, cluster, calibration, epoch);
    if (!planned || !options.varied_plans) return planned;
    Rng choice(counter_random(options.seed ^ job.recipe.seed, epoch.value));
    return varied(backend, std::move(*planned), cluster, choice);
  }

  void connect_client() {
    client_process.reset();
    if (client) network.kill("client");
    client = std::make_unique<client::Client>(time);
    client_process = std::make_unique<Process>(network, ProcessSpec{"client", Role::client, uuid_of(9, 0), 900, rng.next()}, log,
                                               defect, client.get());
    client->attach(client_process->session());
    connected = false;
    client->connect("coordinator:1", [this](const Status& status) { connected = status.ok(); });
    apply_cuts();
  }

  /// As a user would: once more on a new connection when the last one is gone.
  void tell(codec::Message message) {
    if (!connected) connect_client();
    client->ask(std::move(message), std::chrono::seconds{3}, [this](const client::Answer& answer) {
      if (!answer && answer.error().code != Errc::conflict && answer.error().code != Errc::not_found) connected = false;
    });
  }

  std::unique_ptr<runner_host::RunnerHost> make_runners(std::size_t number);
  bool pump();

  ClusterOptions options;
  Defect& defect;
  VirtualTasks time;
  transport::SimulatedNetwork network;
  TraceLog log;
  Rng rng;
  test::TestHashing hashing;
  MemoryFiles disk;  ///< the coordinator's
  content::ContentStore content;
  training::Backend backend;
  model::DataManifest manifest;
  DeviceWatch watch;
  std::set<std::pair<std::string, std::string>> cuts;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<Process> coordinator, client_process;
  std::unique_ptr<client::Client> client;
  bool connected = false;
  std::vector<std::unique_ptr<Node>> nodes;
  std::size_t runner_number = 0;
};

std::unique_ptr<runner_host::RunnerHost> Cluster::Work::make_runners(std::size_t number) {
  auto& node = *nodes[number - 1];
  const auto make = [this, number, &node](const codec::LaunchRunner& launch, runner_host::RunnerSink sink) {
    const auto name = format("node{}.runner{}", number, ++runner_number);
    node.launched[name] = launch;
    node.sinks[name] = sink;
    RunnerParts parts{.network = &network, .node_tasks = &node.process->tasks(), .log = &log, .defect = &defect, .watch = &watch,
                      .files = &node.disk, .hashing = &hashing, .name = name, .host = number, .seed = rng.next()};
    parts.gone = [&node, name] {
      node.launched.erase(name);
      node.sinks.erase(name);
    };
    auto out = make_runner_process(parts, launch, std::move(sink));
    apply_cuts();
    return out;
  };
  const auto calibrate = [this, number](const std::vector<model::DeviceSpec>& devices) -> Result<codec::CalibrationReport> {
    codec::CalibrationReport report;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto speed = options.nodes[number - 1][i].speed;
      report.devices.push_back({devices[i].id, {.matrix_rate = FlopsPerSecond{kRate * speed}, .memory_bandwidth = BytesPerSecond{1e9 * speed}, .fixed = {}}});
    }
    return report;
  };
  return defect.wrap_host(runner_host::make_in_process_host(node.process->tasks(), make, calibrate), node.process->tasks());
}

bool Cluster::Work::pump() {
  bool any = false, more = true;
  const auto run = [](const std::unique_ptr<Process>& process) { return process && process->run_actors(); };
  while (more) {
    more = run(coordinator);
    for (const auto& node : nodes) more = run(node->process) || more;
    any = any || more;
  }
  return any;
}

Cluster::Cluster(const ClusterOptions& options, Defect& defect) : work_(std::make_unique<Work>(options, defect)) { work_->store_data(); }

Cluster::~Cluster() {
  for (std::size_t n = 1; n <= work_->nodes.size(); ++n) kill_node(n);
  kill_coordinator();
  work_->client_process.reset();
}

void Cluster::start_coordinator() {
  auto& w = *work_;
  if (w.coordinator) return;
  w.store = std::move(store::Store::open(w.options.state_directory)).value();
  w.coordinator = std::make_unique<Process>(w.network, ProcessSpec{"coordinator", Role::coordinator, uuid_of(8, 0), 800, w.rng.next()},
                                            w.log, w.defect, nullptr);
  actors::CoordinatorParts parts{.env = w.coordinator->environment(), .gateway = w.coordinator->gateway(), .store = w.store.get(),
                                 .content = &w.content};
  parts.parse = [](const std::string& toml) { return job_file::parse_job(toml, "job.toml"); };
  parts.plan = [&w](const model::JobSpec& job, const model::ClusterSpec& cluster, const model::Calibration& calibration, Epoch epoch) {
    return w.plan(job, cluster, calibration, epoch);
  };
  parts.workers = actors::Workers::in_place;
  parts.jobs = w.store->jobs().value();
  parts.nodes = w.store->nodes().value();
  w.coordinator->set_root(actors::spawn_coordinator(w.coordinator->system(), std::move(parts)));
  w.apply_cuts();
  w.connect_client();
}

void Cluster::kill_coordinator() {
  auto& w = *work_;
  if (!w.coordinator) return;
  w.network.kill("coordinator");
  w.coordinator.reset();
  w.store.reset();
}

void Cluster::start_node(std::size_t number) {
  auto& w = *work_;
  auto& node = *w.nodes[number - 1];
  if (node.process) return;
  const auto name = format("node{}", number);
  node.process = std::make_unique<Process>(w.network, ProcessSpec{name, Role::node, node_id(number).uuid, number, w.rng.next()}, w.log,
                                           w.defect, nullptr);
  node.runners = w.make_runners(number);
  actors::NodeParts parts{.env = node.process->environment(), .gateway = node.process->gateway(), .runners = node.runners.get(),
                          .content = &node.content, .saves = &node.saves};
  parts.compile = [&w](const model::Plan& plan, DeviceId device) -> Result<actors::CompiledProgram> {
    const auto packed = training::compile_on(w.backend, plan, device);
    if (!packed) return packed.error();
    return actors::CompiledProgram{fingerprint(packed->program), packed->arena};
  };
  parts.workers = actors::Workers::in_place;
  parts.coordinator = "coordinator:1";
  parts.node = {.id = node_id(number), .name = name, .address = node.process->address(), .devices = {}};
  for (std::size_t i = 0; i < w.options.nodes[number - 1].size(); ++i) parts.node.devices.push_back(w.device_of(number, i));
  node.process->set_root(actors::spawn_node(node.process->system(), std::move(parts)));
  w.apply_cuts();
}

void Cluster::kill_node(std::size_t number) {
  auto& w = *work_;
  auto& node = *w.nodes[number - 1];
  if (!node.process) return;
  w.network.kill(format("node{}", number));
  node.runners.reset();  // they die with their node
  node.process.reset();
}

void Cluster::leave_node(std::size_t number) {
  auto& node = *work_->nodes[number - 1];
  if (!node.process) return;
  caf::anon_send(node.process->root(), actors::msg(actors::LeaveCluster{"drained by the scenario"}));
  (void)run_until([] { return false; }, std::chrono::milliseconds{500});
  kill_node(number);
}

bool Cluster::node_runs(std::size_t number) const { return work_->nodes[number - 1]->process != nullptr; }

void Cluster::cut(const std::string& from, const std::string& to) {
  work_->cuts.insert({from, to});
  work_->apply_cuts();
}

void Cluster::heal_all() {
  auto& w = *work_;
  w.cuts.clear();
  w.network.heal_all();
}

void Cluster::freeze_node(std::size_t number) {
  auto& node = *work_->nodes[number - 1];
  if (!node.process) return;
  work_->network.freeze(format("node{}", number));
  for (const auto& [name, launch] : node.launched) work_->network.freeze(name);
}

void Cluster::thaw_all() { work_->network.thaw_all(); }

void Cluster::crash_runner(std::size_t number) {
  auto& node = *work_->nodes[number - 1];
  if (node.launched.empty()) return;
  const auto& [name, launch] = *node.launched.begin();
  work_->network.kill(name);
  const codec::RunnerEnded last{.job = launch.assign.job, .epoch = launch.assign.epoch, .failed = true,
                                .why = error(Errc::unreachable, "the runner process ended by signal 9")};
  node.process->tasks().post([&node, name = name, last] {
    const auto sink = node.sinks.find(name);
    if (sink != node.sinks.end()) sink->second(last);
  });
}

void Cluster::submit(JobId id, const std::string& toml) {
  work_->tell(codec::SubmitJob{.job = id, .toml = toml, .data = {work_->manifest}});
}

void Cluster::cancel(JobId id) { work_->tell(codec::CancelJob{format("{}", id)}); }

bool Cluster::run_until(const std::function<bool()>& ready, std::chrono::nanoseconds limit) {
  auto& time = work_->time;
  const auto end = time.clock().now() + limit;
  while (true) {
    work_->pump();
    if (ready()) return true;
    if (time.clock().now() >= end) return false;
    if (!time.run_one()) time.run_for(std::chrono::milliseconds{1});
  }
}

void Cluster::run_for(std::chrono::nanoseconds limit) {
  (void)run_until([] { return false; }, limit);
}

std::optional<model::JobDetail> Cluster::job(JobId id) const {
  if (!work_->store) return std::nullopt;
  auto stored = work_->store->job(id);
  if (!stored) return std::nullopt;
  return std::move(stored->detail);
}

store::Store& Cluster::store() { return *work_->store; }

namespace {

std::vector<model::NodeStatus> ask_nodes(Cluster& cluster, client::Client& client) {
  std::vector<model::NodeStatus> out;
  bool answered = false;
  client.ask(codec::ListNodes{}, std::chrono::seconds{5}, [&](const client::Answer& answer) {
    if (const auto list = actors::expect<codec::NodeList>(answer)) out = list->nodes;
    answered = true;
  });
  (void)cluster.run_until([&] { return answered; }, std::chrono::seconds{6});
  return out;
}

}  // namespace

std::vector<std::string> Cluster::held() {
  std::vector<std::string> out;
  for (const auto& node : ask_nodes(*this, *work_->client)) {
    for (std::size_t i = 0; i < node.held.size() && node.state == model::NodeState::healthy; ++i) {
      if (node.held[i] != 0_B) out.push_back(format("{} holds {}", node.node.devices[i].name, node.held[i]));
    }
  }
  return out;
}

std::size_t Cluster::healthy_nodes() {
  const auto all = ask_nodes(*this, *work_->client);
  return static_cast<std::size_t>(std::ranges::count(all, model::NodeState::healthy, &model::NodeStatus::state));
}

Files& Cluster::disk(NodeId node) {
  for (std::size_t n = 1; n <= work_->nodes.size(); ++n) {
    if (node_id(n) == node) return work_->nodes[n - 1]->disk;
  }
  FRENZY_CHECK(false);
  return work_->disk;
}

const ContentHashing& Cluster::hashing() const { return work_->hashing; }
TraceLog& Cluster::log() { return work_->log; }
const DeviceWatch& Cluster::watch() const { return work_->watch; }
std::size_t Cluster::runners() const {
  std::size_t out = 0;
  for (const auto& node : work_->nodes) out += node->launched.size();
  return out;
}
std::uint64_t Cluster::events() const { return work_->time.events(); }
const ClusterOptions& Cluster::options() const { return work_->options; }

}  // namespace frenzy::simulation
