#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "frenzy/store/store.hpp"
#include "scratch_directory.hpp"

namespace frenzy::store {
namespace {

using model::JobState;

std::unique_ptr<Store> open(const std::string& path) {
  auto store = Store::open(path);
  INFO((store ? std::string() : store.error().what));
  REQUIRE(store);
  return std::move(*store);
}

codec::SubmitJob submission(std::uint8_t n) {
  codec::SubmitJob out;
  out.job.uuid.bytes[0] = n;
  out.toml = "name = \"tale\"";
  out.data.push_back({.path = "text.txt", .size = 5_B});
  return out;
}

model::JobDetail detail(const codec::SubmitJob& submission, JobState state) {
  model::JobDetail out;
  out.summary.id = submission.job;
  out.summary.name = "tale";
  out.summary.state = state;
  out.toml = submission.toml;
  out.shares.push_back({.why = "fastest"});
  return out;
}

model::StateChange change(JobState state, std::string reason) {
  return {.state = state, .since = WallTime{std::chrono::seconds{5}}, .reason = std::move(reason)};
}

model::StepRow row(std::uint64_t step) {
  return {.step = {step}, .loss_sum = 2.5, .tokens = 4, .duration = Seconds{0.5}};
}

}  // namespace

TEST_CASE("the incarnation grows with every start", "[store]") {
  const ScratchDirectory scratch;
  CHECK(open(scratch.path())->incarnation() == Incarnation{1});
  CHECK(open(scratch.path())->incarnation() == Incarnation{2});
}

TEST_CASE("a directory in use is refused naming the process", "[store]") {
  const ScratchDirectory scratch;
  const auto first = open(scratch.path());
  const auto second = Store::open(scratch.path());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Errc::conflict);
  CHECK(second.error().what.find(format("in use by process {}", ::getpid())) != std::string::npos);
}

TEST_CASE("jobs, their history, steps and saves are there after a restart", "[store]") {
  const ScratchDirectory scratch;
  const auto a = submission(1), b = submission(2);
  {
    const auto store = open(scratch.path());
    CHECK(*store->add_job(b, detail(b, JobState::submitted)));
    CHECK(*store->add_job(a, detail(a, JobState::submitted)));
    CHECK(store->record_state(detail(a, JobState::submitted), change(JobState::submitted, "accepted")));
    for (std::uint64_t s = 1; s <= 200; ++s) CHECK(store->record_step(a.job, row(s)));
    CHECK(store->record_state(detail(a, JobState::finished), change(JobState::finished, "200 steps")));
    CHECK(store->record_save(a.job, {{200}, {{.digest = {}, .size = 9_B}}}, 2));
    CHECK(store->record_step(b.job, row(1)));
  }
  const auto store = open(scratch.path());
  const auto jobs = store->jobs();
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK((*jobs)[0].submission == b);
  CHECK((*jobs)[1].submission == a);
  CHECK((*jobs)[1].detail.summary.state == JobState::finished);
  CHECK((*jobs)[1].detail.summary.step == Step{200});
  CHECK((*jobs)[1].detail.shares == detail(a, JobState::finished).shares);
  REQUIRE((*jobs)[1].detail.history.size() == 2);
  CHECK((*jobs)[1].detail.history[1] == change(JobState::finished, "200 steps"));
  const auto rows = store->steps(a.job, {150}, 1000);
  REQUIRE(rows);
  REQUIRE(rows->size() == 51);
  CHECK(rows->front() == row(150));
  CHECK(store->newest_save(a.job)->pieces.at(0).size == 9_B);
  CHECK(store->steps(b.job, {0}, 10)->size() == 1);
}

TEST_CASE("the same submission twice is one job, another text under its id is a conflict", "[store]") {
  const ScratchDirectory scratch;
  const auto store = open(scratch.path());
  auto job = submission(1);
  CHECK(*store->add_job(job, detail(job, JobState::submitted)));
  CHECK_FALSE(*store->add_job(job, detail(job, JobState::submitted)));
  job.toml = "name = \"other\"";
  CHECK(store->add_job(job, detail(job, JobState::submitted)).error().code == Errc::conflict);
  CHECK(store->jobs()->size() == 1);
}

TEST_CASE("steps that are kept back are read like the others", "[store]") {
  const ScratchDirectory scratch;
  const auto store = open(scratch.path());
  CHECK(store->record_step(submission(1).job, row(1)));
  CHECK(store->steps(submission(1).job, {0}, 10)->size() == 1);
  CHECK(store->steps(submission(1).job, {2}, 10)->empty());
}

TEST_CASE("a loss that is not a number is still one after reading", "[store]") {
  const ScratchDirectory scratch;
  const auto store = open(scratch.path());
  auto bad = row(1);
  bad.loss_sum = std::numeric_limits<double>::quiet_NaN();
  CHECK(store->record_step(submission(1).job, bad));
  CHECK(std::isnan(store->steps(submission(1).job, {0}, 10)->at(0).loss_sum));
}

TEST_CASE("only the newest saves of a job are remembered", "[store]") {
  const ScratchDirectory scratch;
  const auto store = open(scratch.path());
  const auto job = submission(1).job;
  CHECK(store->newest_save(job).error().code == Errc::not_found);
  for (std::uint64_t s = 10; s <= 50; s += 10) CHECK(store->record_save(job, {{s}, {}}, 2));
  CHECK(store->newest_save(job)->step == Step{50});
}

TEST_CASE("a forgotten save gives up the pieces that no other save of any job names", "[store]") {
  const ScratchDirectory scratch;
  const auto store = open(scratch.path());
  const auto piece = [](std::uint8_t number) {
    model::SavedPiece out;
    out.digest.bytes.fill(number);
    return out;
  };
  const auto a = submission(1).job, b = submission(2).job;
  CHECK(store->record_save(b, {{5}, {piece(3)}}, 1)->empty());
  CHECK(store->record_save(a, {{10}, {piece(1), piece(2), piece(3)}}, 1)->empty());
  const auto dropped = store->record_save(a, {{20}, {piece(2), piece(4)}}, 1);
  REQUIRE(dropped);
  CHECK(*dropped == std::vector{piece(1)});
  CHECK(*store->unnamed({piece(1).digest, piece(2).digest, piece(3).digest, piece(4).digest}) == std::vector{piece(1).digest});
}

TEST_CASE("nodes are known after a restart", "[store]") {
  const ScratchDirectory scratch;
  model::NodeStatus node;
  node.node.id.uuid.bytes[0] = 3;
  node.node.name = "alpha";
  CHECK(open(scratch.path())->record_node(node));
  const auto nodes = open(scratch.path())->nodes();
  REQUIRE(nodes->size() == 1);
  CHECK(nodes->at(0) == node);
}

TEST_CASE("a damaged file is refused by name and left as it is", "[store]") {
  const ScratchDirectory scratch;
  const auto path = scratch.path() + "/frenzy.db";
  { (void)open(scratch.path()); }
  std::ofstream(path, std::ios::binary) << std::string(8192, 'x');
  const auto store = Store::open(scratch.path());
  REQUIRE_FALSE(store);
  CHECK(store.error().code == Errc::corrupt);
  CHECK(store.error().what.find(path) == 0);
  CHECK(std::filesystem::file_size(path) == 8192);
}

TEST_CASE("an unwritable directory is an error and nothing is half made", "[store]") {
  const auto store = Store::open("/proc/frenzy-cannot-be-here");
  REQUIRE_FALSE(store);
  CHECK(store.error().code == Errc::io);
}

}  // namespace frenzy::store
