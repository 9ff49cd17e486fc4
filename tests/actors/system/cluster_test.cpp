#include <catch2/catch.hpp>

#include "scratch_directory.hpp"
#include "simulated_cluster.hpp"
#include "test_hashing.hpp"

namespace frenzy::testing {
namespace {

using model::JobState;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Fixture {
  ScratchDirectory scratch;
  ClusterOptions options{.state_directory = scratch.path()};
  std::unique_ptr<SimulatedCluster> cluster;

  SimulatedCluster& start(std::size_t nodes) {
    cluster = std::make_unique<SimulatedCluster>(options);
    cluster->start_coordinator();
    for (std::size_t i = 0; i < nodes; ++i) cluster->add_node();
    cluster->run_for(seconds{1});
    return *cluster;
  }
};

std::vector<JobState> states(const model::JobDetail& job) {
  std::vector<JobState> out;
  for (const auto& change : job.history) {
    if (out.empty() || out.back() != change.state) out.push_back(change.state);
  }
  return out;
}

}  // namespace

TEST_CASE("a node joins and is healthy within a second", "[actors]") {
  Fixture f;
  auto& c = f.start(2);
  const auto nodes = c.nodes();
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].state == model::NodeState::healthy);
  CHECK(nodes[0].reason == "2 devices measured");
  CHECK(nodes[1].rates.at(0) == FlopsPerSecond{1e9});
}

TEST_CASE("a submitted job runs over two nodes to its end and leaves nothing held", "[actors]") {
  Fixture f;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  const auto job = c.wait_end("tale", seconds{10});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::finished);
  CHECK(job.summary.step == Step{30});
  CHECK(job.summary.saved == Step{30});
  CHECK(states(job) == std::vector{JobState::submitted, JobState::planned, JobState::reserved,
                                   JobState::starting, JobState::running, JobState::finished});
  CHECK(job.shares.size() == 4);
  CHECK(job.shares[0].measured == 1_MiB);
  c.run_for(seconds{1});
  CHECK(c.held() == 0_B);
  CHECK(c.runners == 0);
}

TEST_CASE("the same submission twice is one job", "[actors]") {
  Fixture f;
  auto& c = f.start(1);
  const codec::SubmitJob submission{.job = {{{9}}}, .toml = "tale"};
  CHECK(c.ask(submission));
  CHECK(c.ask(submission));
  const auto list = c.ask(codec::ListJobs{});
  CHECK(std::get<codec::JobList>(*list).jobs.size() == 1);
}

TEST_CASE("a text that is no job is refused with its place", "[actors]") {
  Fixture f;
  auto& c = f.start(1);
  const auto refused = c.submit("");
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error{Errc::invalid_argument, "job.toml:1:1: the file is empty"});
}

TEST_CASE("a killed node fails the job within two seconds and frees the other node", "[actors]") {
  Fixture f;
  f.options.steps = 3000;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  c.run_for(seconds{1});
  CHECK(c.show("tale").summary.state == JobState::running);
  c.kill_node(2);
  const auto job = c.wait_end("tale", seconds{2});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason.find("node node2 is gone") == 0);
  c.run_for(seconds{1});
  CHECK(c.runners == 0);
  CHECK(c.held() == 0_B);
}

TEST_CASE("a frozen node is found and fails the job", "[actors]") {
  Fixture f;
  f.options.steps = 3000;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  c.run_for(seconds{1});
  c.freeze_node(1);
  const auto job = c.wait_end("tale", seconds{6});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason.find("node node1 is gone") == 0);
}

TEST_CASE("a node that leaves says so, and its job names the reason", "[actors]") {
  Fixture f;
  f.options.steps = 3000;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  c.run_for(seconds{1});
  c.leave_node(1);
  const auto job = c.wait_end("tale", seconds{2});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason.find("it left: the test says so") != std::string::npos);
}

TEST_CASE("cancel saves every shard and ends the job", "[actors]") {
  Fixture f;
  f.options.steps = 3000;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  c.run_for(seconds{1});
  CHECK(c.ask(codec::CancelJob{"tale"}));
  const auto job = c.wait_end("tale", seconds{3});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::cancelled);
  CHECK(job.summary.reason.find("saved at step ") == 0);
  const auto checkpoint = c.ask(codec::GetCheckpoint{"tale"});
  REQUIRE(checkpoint);
  CHECK(std::get<codec::Checkpoint>(*checkpoint).pieces.size() == 2);
  c.run_for(seconds{1});
  CHECK(c.held() == 0_B);
}

TEST_CASE("cancel without saves says which shards are missing", "[actors]") {
  Fixture f;
  f.options.steps = 3000;
  auto& c = f.start(2);
  c.faults.saves_never_come = true;
  REQUIRE(c.submit("tale"));
  c.run_for(seconds{1});
  CHECK(c.ask(codec::CancelJob{"tale"}));
  const auto job = c.wait_end("tale", seconds{4});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::cancelled);
  CHECK(job.summary.reason == "not saved: the shards of node1, node2 were missing after 2.00 s; nothing was saved before");
}

TEST_CASE("a runner that fails ends the job everywhere", "[actors]") {
  Fixture f;
  auto& c = f.start(2);
  c.faults.fails_at_step = 5;
  REQUIRE(c.submit("tale"));
  const auto job = c.wait_end("tale", seconds{5});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason.find("failed at step 5: injected fault") != std::string::npos);
  c.run_for(seconds{1});
  CHECK(c.runners == 0);
  CHECK(c.held() == 0_B);
}

TEST_CASE("a device that compiles to another program refuses the plan naming both", "[actors]") {
  Fixture f;
  auto& c = f.start(1);
  c.faults.wrong_program = true;
  REQUIRE(c.submit("tale"));
  const auto job = c.wait_end("tale", seconds{5});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason.find("compiles the plan to program 0000000000000001") != std::string::npos);
  c.run_for(seconds{1});
  CHECK(c.held() == 0_B);
}

TEST_CASE("a job waits for a node and for memory that another job holds", "[actors]") {
  Fixture f;
  f.options.steps = 200;
  f.options.job_bytes = 40_MiB;
  auto& c = f.start(0);
  REQUIRE(c.submit("first"));
  CHECK(c.show("first").summary.reason == "no node is connected");
  c.add_node();
  c.run_for(seconds{1});
  CHECK(c.show("first").summary.state == JobState::running);
  REQUIRE(c.submit("second"));
  c.run_for(milliseconds{200});
  CHECK(c.show("second").summary.reason.find("waits for memory that other jobs hold") == 0);
  CHECK(c.wait_end("second", seconds{20}).summary.state == JobState::finished);
  CHECK(c.show("first").summary.state == JobState::finished);
}

TEST_CASE("a job that no device can hold fails with what it needs", "[actors]") {
  Fixture f;
  f.options.job_bytes = 100_MiB;
  auto& c = f.start(1);
  REQUIRE(c.submit("tale"));
  const auto job = c.wait_end("tale", seconds{5});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason == "needs 100.0 MiB");
}

TEST_CASE("a restarted coordinator lists jobs and history, and the node joins again", "[actors]") {
  Fixture f;
  f.options.steps = 300;
  auto& c = f.start(1);
  REQUIRE(c.submit("done"));
  CHECK(c.wait_end("done", seconds{10}).summary.state == JobState::finished);
  REQUIRE(c.submit("open"));
  c.run_for(seconds{1});
  CHECK(c.show("open").summary.state == JobState::running);
  c.stop_coordinator();
  c.run_for(seconds{2});
  CHECK(c.runners == 0);
  c.start_coordinator();
  c.run_for(seconds{3});
  CHECK(c.show("done").summary.state == JobState::finished);
  const auto open = c.show("open");
  CHECK(open.summary.state == JobState::failed);
  CHECK(open.summary.reason.find("the coordinator restarted (incarnation 2) while the job was running") == 0);
  CHECK(c.nodes().at(0).state == model::NodeState::healthy);
  REQUIRE(c.submit("next"));
  CHECK(c.wait_end("next", seconds{10}).summary.state == JobState::finished);
  CHECK(c.held() == 0_B);
}

TEST_CASE("every job and step is told to a watcher once, in order", "[actors]") {
  Fixture f;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  CHECK(c.wait_end("tale", seconds{10}).summary.state == JobState::finished);
  const auto rows = c.watch("tale");
  REQUIRE(rows.size() == 30);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].step == Step{i + 1});
}

TEST_CASE("a watcher that comes while the job runs misses no step and gets none twice", "[actors]") {
  Fixture f;
  f.options.steps = 100;
  auto& c = f.start(2);
  REQUIRE(c.submit("tale"));
  c.run_for(milliseconds{500});
  const auto rows = c.watch("tale");
  REQUIRE(rows.size() == 100);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].step == Step{i + 1});
}

TEST_CASE("content travels by digest and is refused when it is something else", "[actors]") {
  Fixture f;
  auto& c = f.start(0);
  const std::vector<std::byte> bytes(5, std::byte{3});
  const auto digest = test::TestHashing().digest(bytes);
  const auto missing = c.ask(codec::OfferChunks{{digest}});
  CHECK(std::get<codec::MissingChunks>(*missing).digests.size() == 1);
  CHECK(c.ask(codec::PutChunk{{}, bytes}).error().code == Errc::corrupt);
  CHECK(c.ask(codec::PutChunk{digest, bytes}));
  CHECK(std::get<codec::MissingChunks>(*c.ask(codec::OfferChunks{{digest}})).digests.empty());
  const auto chunk = c.ask(codec::GetChunk{.digest = digest, .offset = 2_B, .size = 2});
  CHECK(std::get<codec::Chunk>(*chunk).total == 5_B);
  CHECK(std::get<codec::Chunk>(*chunk).bytes.size() == 2);
}

TEST_CASE("unknown jobs and ended jobs are refused by name", "[actors]") {
  Fixture f;
  auto& c = f.start(1);
  CHECK(c.ask(codec::ShowJob{"nothing"}).error() == Error{Errc::not_found, "no job 'nothing'"});
  REQUIRE(c.submit("tale"));
  c.wait_end("tale", seconds{10});
  CHECK(c.ask(codec::CancelJob{"tale"}).error().code == Errc::conflict);
}

TEST_CASE("saves on the way are recorded, and the pieces of forgotten ones leave the nodes", "[actors]") {
  Fixture f;
  f.options.steps = 60;
  auto& c = f.start(2);
  c.faults.save_every = 10;
  REQUIRE(c.submit("tale"));
  c.run_for(milliseconds{500});
  const auto running = c.show("tale");
  CHECK(running.summary.state == JobState::running);
  CHECK(running.summary.saved >= Step{20});
  const auto job = c.wait_end("tale", seconds{10});
  CHECK(job.summary.state == JobState::finished);
  CHECK(job.summary.saved == Step{60});
  c.run_for(seconds{1});
  CHECK(c.pieces(1).size() == 2);  // the two newest saves
  CHECK(c.pieces(2).size() == 2);
}

TEST_CASE("a save on the way that fails is told once and the job finishes", "[actors]") {
  Fixture f;
  f.options.steps = 60;
  auto& c = f.start(2);
  c.faults.save_every = 10;
  c.faults.saves_fail_from = 20;
  c.faults.saves_fail_until = 45;
  REQUIRE(c.submit("tale"));
  const auto job = c.wait_end("tale", seconds{10});
  CHECK(job.summary.state == JobState::finished);
  std::vector<std::string> told;
  for (const auto& change : job.history) {
    if (change.reason.find("sav") != std::string::npos && change.state == JobState::running) told.push_back(change.reason);
  }
  REQUIRE(told.size() == 2);
  CHECK(told[0].find("checkpoint overdue: saving step 20 failed on node") == 0);
  CHECK(told[0].find("the last save is step 10; training goes on") != std::string::npos);
  CHECK(told[1] == "saving works again: step 50 is saved");
}

TEST_CASE("pieces that no save names leave a node when it joins, and named ones stay", "[actors]") {
  Fixture f;
  auto& c = f.start(1);
  REQUIRE(c.submit("tale"));
  CHECK(c.wait_end("tale", seconds{10}).summary.state == JobState::finished);
  c.run_for(seconds{1});
  const auto named = c.pieces(1);
  REQUIRE(named.size() == 1);
  c.write_on_node(1, "/saves/pieces/" + std::string(64, 'a') + ".safetensors");
  c.write_on_node(1, "/saves/pieces/" + std::string(64, 'b') + ".safetensors.tmp.3.4");
  c.stop_coordinator();
  c.run_for(seconds{1});
  c.start_coordinator();
  c.run_for(seconds{3});
  CHECK(c.pieces(1) == named);
}

TEST_CASE("a runner that freezes is found by its node, named, and everything is freed", "[actors]") {
  Fixture f;
  f.options.steps = 3000;
  auto& c = f.start(2);
  c.faults.freezes_at_step = 90;
  REQUIRE(c.submit("tale"));
  c.run_for(milliseconds{1500});
  CHECK(c.show("tale").summary.state == JobState::running);
  const auto job = c.wait_end("tale", seconds{6});
  INFO(job.summary.reason);
  CHECK(job.summary.state == JobState::failed);
  CHECK(job.summary.reason.find("the runner on node") == 0);
  CHECK(job.summary.reason.find("failed at step 89: its process on node") != std::string::npos);
  CHECK(job.summary.reason.find("/cpu0, node") != std::string::npos);
  CHECK(job.summary.reason.find("has been silent for 4.") != std::string::npos);
  CHECK(job.summary.reason.find("it was at instruction 7 of step 90, 250.0 ms old then") != std::string::npos);
  c.run_for(seconds{1});
  CHECK(c.runners == 0);
  CHECK(c.held() == 0_B);
}

}  // namespace frenzy::testing
