// A coordinator and a node inside one process and one CAF actor system of somebody else's: submits a job
// of three steps over a real gate, trains it with runners as objects, and waits for its end.
// Usage: embed_cluster DIRECTORY (empty; state is kept there)

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string_view>

#include "frenzy/actors/coordinator.hpp"
#include "frenzy/actors/gateway.hpp"
#include "frenzy/actors/node.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/client/client.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/crypto/crypto.hpp"
#include "frenzy/crypto/keys.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "frenzy/training/planning.hpp"
#include "frenzy/training/training_runner.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/tcp_carrier.hpp"

using namespace frenzy;
using namespace std::chrono_literals;

namespace {

constexpr const char* kJob = R"(name = "embedded"
[model]
layers = 2
hidden = 32
heads = 2
positions = 32
vocabulary = 256
[data]
path = "text"
format = "text"
tokenizer = "bytes"
[train]
steps = 3
global_batch = 4
seq_len = 32
lr = 1e-2
)";

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().what.c_str());
  std::exit(1);
}

void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().what.c_str());
  std::exit(1);
}

/// What all sessions of this process share.
struct Ground {
  SystemClock clock;
  NullLog log;
  RealFiles files;
  Rng rng{seed_from_system()};
  std::unique_ptr<transport::EventLoop> loop = must(transport::EventLoop::create(clock));
  std::unique_ptr<transport::Crypto> crypto = must(crypto::make_crypto());
  std::unique_ptr<ContentHashing> hashing = crypto::make_content_hashing();
  crypto::Keys cluster = crypto::make_keys(*crypto);
};

/// One session with keys of its own under the cluster's.
class Door {
 public:
  Door(Ground& ground, transport::Role role, const Uuid& uuid, transport::SessionEvents& events)
      : carrier_(*ground.loop, ground.log), admission_(*ground.crypto, ground.cluster.admission) {
    const auto keys = crypto::make_keys(*ground.crypto, ground.cluster.admission);
    transport::SessionOptions options;
    options.role = role;
    options.uuid = uuid;
    options.admission_key = keys.admission;
    options.identity = keys.identity;
    session_ = must(transport::make_session(
        options, {carrier_, *ground.loop, *ground.crypto, ground.log, admission_, events}));
  }
  transport::Session& session() { return *session_; }

 private:
  transport::TcpCarrier carrier_;
  transport::ClusterAdmission admission_;
  std::unique_ptr<transport::Session> session_;
};

/// The job's text with its data named by digest; the data goes straight into the coordinator's store.
codec::SubmitJob make_submission(Ground& ground, content::ContentStore& content) {
  std::string text;
  while (text.size() < 4096) text += "the quick brown fox jumps over the lazy dog. ";
  const auto bytes = std::as_bytes(std::span(text));
  codec::SubmitJob out;
  out.job = JobId::random(ground.rng);
  model::DataManifest data{.path = "text", .digest = ground.hashing->digest(bytes), .size = Bytes{bytes.size()},
                           .chunk_bytes = static_cast<std::uint32_t>(codec::kMaxChunk), .chunks = {}};
  data.chunks.push_back(data.digest);
  must(content.put(data.digest, bytes));
  auto job = must(job_file::parse_job(kJob, "job.toml", {}));
  job.data.sources.at(0).digest = data.digest;
  out.toml = job_file::to_toml(job);
  out.data.push_back(std::move(data));
  return out;
}

/// A node with one virtual device of full speed.
model::NodeSpec make_node(Ground& ground) {
  model::NodeSpec out;
  out.id = NodeId::random(ground.rng);
  out.name = "embedded";
  out.devices.push_back({.id = DeviceId::random(ground.rng), .name = "embedded/cpu0", .memory = 256_MiB,
                         .free = 256_MiB, .slowdown = 1});
  return out;
}

/// Asks and waits. Thread: main; the client lives on the loop.
codec::Message ask(Ground& ground, client::Client& client, const codec::Message& message) {
  std::promise<client::Answer> answer;
  ground.loop->post([&] {
    client.ask(message, 10s, [&](client::Answer got) { answer.set_value(std::move(got)); });
  });
  return must(answer.get_future().get());
}

/// Submits when the node has joined and follows the job to its end.
int use_cluster(Ground& ground, client::Client& client, const std::string& gate, const codec::SubmitJob& job) {
  std::promise<Status> connected;
  ground.loop->post([&] { client.connect(gate, [&](Status status) { connected.set_value(std::move(status)); }); });
  must(connected.get_future().get());
  static_cast<void>(ask(ground, client, job));
  std::promise<model::JobSummary> end;
  std::vector<double> losses;
  ground.loop->post([&] {
    client.stream(codec::WatchJob{format("{}", job.job), {}, true}, [&](const client::Answer& answer) {
      if (!answer) return end.set_value({});
      const auto& update = std::get<codec::JobUpdate>(*answer);
      for (const auto& row : update.rows) losses.push_back(row.loss_sum / static_cast<double>(row.tokens));
      if (update.last) end.set_value(update.summary);
    });
  });
  auto finished = end.get_future();
  if (finished.wait_for(60s) != std::future_status::ready) {
    std::fprintf(stderr, "the job did not end within 60 s\n");
    std::_Exit(1);
  }
  for (const double loss : losses) std::printf("loss %.4f\n", loss);
  const bool ok = finished.get().state == model::JobState::finished && losses.size() == 3 && losses[2] < losses[0];
  std::printf("embedded cluster: %s\n", ok ? "ok" : "failed");
  return ok ? 0 : 1;
}

/// Runners as objects, with one session for them all.
std::unique_ptr<runner_host::RunnerHost> make_runners(Ground& ground, const training::TrainingParts& parts) {
  return runner_host::make_in_process_host(
      *ground.loop,
      [parts](const codec::LaunchRunner& launch, runner_host::RunnerSink sink) {
        return training::make_training_runner(parts, launch, std::move(sink));
      },
      [&ground](const std::vector<model::DeviceSpec>& devices) {
        return training::measure_devices(ground.clock, devices);
      });
}

actors::CoordinatorParts coordinator_parts(actors::Environment env, store::Store& store, content::ContentStore& content) {
  actors::CoordinatorParts out{.env = env, .store = &store, .content = &content};
  out.parse = [](const std::string& toml) { return job_file::parse_job(toml, "job.toml"); };
  out.plan = training::plan_job;
  return out;
}

actors::NodeParts node_parts(actors::Environment env, runner_host::RunnerHost& runners, content::ContentStore& content,
                             content::ContentStore& saves, model::NodeSpec node) {
  actors::NodeParts out{.env = env, .runners = &runners, .content = &content, .saves = &saves};
  out.compile = [](const model::Plan& plan, DeviceId device) -> Result<actors::CompiledProgram> {
    const auto packed = training::compile_for(plan, device);
    if (!packed) return packed.error();
    return actors::CompiledProgram{program::fingerprint(packed->program), packed->arena};
  };
  out.node = std::move(node);
  return out;
}

int run(const std::string& directory) {
  Ground ground;
  const actors::Environment env{ground.loop.get(), &ground.log};
  const auto store = must(store::Store::open(directory + "/coordinator"));
  content::ContentStore content(ground.files, *ground.hashing, directory + "/coordinator/content");
  content::ContentStore cache(ground.files, *ground.hashing, directory + "/node/content");
  content::ContentStore saves(ground.files, *ground.hashing, directory + "/node/saves", content::Layout::pieces);
  actors::SessionBridge coordinator_bridge(env), node_bridge(env);
  training::PeerBook runner_peers;
  client::Client client(*ground.loop);
  auto node = make_node(ground);
  const auto runner_uuid = Uuid::random(ground.rng);
  Door coordinator_door(ground, transport::Role::coordinator, Uuid::random(ground.rng), coordinator_bridge);
  Door node_door(ground, transport::Role::node, node.id.uuid, node_bridge);
  Door runner_door(ground, transport::Role::runner, runner_uuid, runner_peers);
  Door client_door(ground, transport::Role::client, Uuid::random(ground.rng), client);
  client.attach(client_door.session());
  const auto runners = make_runners(ground, {.tasks = ground.loop.get(), .session = &runner_door.session(),
                                             .peers = &runner_peers, .files = &ground.files,
                                             .hashing = ground.hashing.get(), .uuid = runner_uuid});
  const auto gate = must(coordinator_door.session().listen("127.0.0.1:0"));
  node.address = must(node_door.session().listen("127.0.0.1:0"));
  auto for_coordinator = coordinator_parts(env, *store, content);
  auto for_node = node_parts(env, *runners, cache, saves, std::move(node));
  for_node.coordinator = gate;

  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  caf::actor_system system(config);
  const auto coordinator_gateway = actors::spawn_gateway(system, env, coordinator_door.session());
  const auto node_gateway = actors::spawn_gateway(system, env, node_door.session());
  coordinator_bridge.attach(coordinator_door.session(), coordinator_gateway);
  node_bridge.attach(node_door.session(), node_gateway);
  for_coordinator.gateway = coordinator_gateway;
  for_node.gateway = node_gateway;
  int result = 1;
  {
    transport::LoopThread thread(*ground.loop);
    const auto coordinator = actors::spawn_coordinator(system, std::move(for_coordinator));
    const auto node_actor = actors::spawn_node(system, std::move(for_node));
    result = use_cluster(ground, client, gate, make_submission(ground, content));
    caf::scoped_actor self(system);
    caf::anon_send(node_actor, actors::msg(actors::LeaveCluster{"the example is over"}));
    self->wait_for(node_actor);
    for (const auto& actor : {coordinator, coordinator_gateway, node_gateway}) {
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
      self->wait_for(actor);
    }
  }
  coordinator_bridge.detach();
  node_bridge.detach();
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return run(argv[1]);
  std::fprintf(stderr, "usage: embed_cluster DIRECTORY\n");
  return 2;
}
