#include <catch2/catch.hpp>

#include "frenzy/cli/upload.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "world.hpp"

namespace frenzy::testing {
namespace {

namespace command = cli::command;

const std::vector<std::string> kSmall{"train.seq_len=32", "train.steps=5", "train.warmup=0"};

/// A job file and a text that is just over two chunks, the first two alike.
void write_job(World& w) {
  REQUIRE(w.files.make_directory("/home"));
  auto text = job_file::job_template("gpt2-tiny").value();
  REQUIRE(w.files.write_text("/home/job.toml", text, FileMode::shared));
  REQUIRE(w.files.write_text("/home/data.txt", std::string(codec::kMaxChunk * 2, 'a') + "end", FileMode::shared));
}

model::JobSummary ended(model::JobState state, std::optional<Errc> failure = {}) {
  auto out = summary();
  out.state = state;
  out.failure = failure;
  return out;
}

bool has_control_bytes(const std::string& text) {
  return text.find('\r') != std::string::npos || text.find('\x1b') != std::string::npos;
}

}  // namespace

TEST_CASE("submit sends each missing chunk once, then the job under the client's id", "[cli]") {
  World w;
  write_job(w);
  CHECK(w.run(command::Submit{"/home/job.toml", kSmall}) == 0);
  INFO(w.console.errors);
  CHECK(w.cluster.puts == 2);
  REQUIRE(w.cluster.submitted.size() == 1);
  const auto job = w.cluster.submitted[0];
  CHECK(w.console.output.starts_with(format("{}\n", job.job)));
  CHECK(w.console.output.find("n1/cpu0") != std::string::npos);
  CHECK(job.data.at(0).chunks.size() == 3);
  const auto parsed = job_file::parse_job(job.toml, "job.toml").value();
  CHECK(parsed.recipe.steps == 5);
  CHECK(parsed.data.sources.at(0).path == "/home/data.txt");
  CHECK(parsed.data.sources.at(0).digest == job.data.at(0).digest);
  CHECK(w.console.errors.find("sent /home/data.txt: 1.00 MiB\n") != std::string::npos);
  CHECK_FALSE(has_control_bytes(w.console.output + w.console.errors));
  CHECK(w.run(command::Submit{"/home/job.toml", kSmall}) == 0);
  CHECK(w.cluster.puts == 2);
  CHECK(w.cluster.submitted[1].job != job.job);
}

TEST_CASE("a submission without an answer is sent again as the same job", "[cli]") {
  World w;
  write_job(w);
  w.cluster.unanswered_submits = 1;
  CHECK(w.run(command::Submit{"/home/job.toml", kSmall}) == 0);
  REQUIRE(w.cluster.submitted.size() == 2);
  CHECK(w.cluster.submitted[0] == w.cluster.submitted[1]);
}

TEST_CASE("submit waits for the planner's verdict and not for the steps after it", "[cli]") {
  World w;
  write_job(w);
  const model::StateChange accepted{model::JobState::submitted, kNow, "waiting for the planner"};
  const model::StateChange planned{model::JobState::planned, kNow, "2 devices on 1 nodes"};
  w.cluster.updates = {{.summary = summary(), .changes = {accepted}}, {.summary = summary()},
                       {.summary = summary(), .changes = {planned}}, {.summary = summary(), .rows = {row(1, 1)}}};
  CHECK(w.run(command::Submit{"/home/job.toml", kSmall}) == 0);
  CHECK(w.cluster.told == 3);
}

TEST_CASE("a job that does not fit ends submit with 5 and the reason, as text and as JSON", "[cli]") {
  for (const auto form : {cli::Format::text, cli::Format::json}) {
    World w;
    write_job(w);
    w.context.format = form;
    w.cluster.job.summary.state = model::JobState::failed;
    w.cluster.job.summary.failure = Errc::does_not_fit;
    w.cluster.job.summary.reason = "needs 3.0 GiB, has 64.0 MiB free";
    CHECK(w.run(command::Submit{"/home/job.toml", kSmall}) == 5);
    CHECK(w.console.errors.ends_with("frenzy: the job has failed: needs 3.0 GiB, has 64.0 MiB free\n"));
  }
}

TEST_CASE("submit --json prints one object", "[cli]") {
  World w;
  write_job(w);
  w.context.format = cli::Format::json;
  CHECK(w.run(command::Submit{"/home/job.toml", kSmall}) == 0);
  CHECK(w.console.output == format("{}\"id\":\"{}\"{}\n", '{', w.cluster.submitted.at(0).job, '}'));
}

TEST_CASE("what is wrong with a job is said before anything is sent", "[cli]") {
  World w;
  write_job(w);
  REQUIRE(w.files.write_text("/home/empty.txt", "", FileMode::shared));
  REQUIRE(w.files.write_text("/home/short.txt", "short", FileMode::shared));
  struct Case {
    std::string file, override_text;
    int code;
    std::string part;
  };
  const std::vector<Case> cases{{"/home/none.toml", "", 4, "/home/none.toml"},
                                {"/home/job.toml", "train.stepz=5", 2, "did you mean 'steps'?"},
                                {"/home/job.toml", "data.path=none.txt", 4, "/home/none.txt"},
                                {"/home/job.toml", "data.path=empty.txt", 2, "/home/empty.txt is empty"},
                                {"/home/job.toml", "data.path=short.txt", 2, "has 5 tokens"}};
  for (const auto& c : cases) {
    w.console = {};
    std::vector<std::string> overrides;
    if (!c.override_text.empty()) overrides.push_back(c.override_text);
    CHECK(w.run(command::Submit{c.file, overrides}) == c.code);
    INFO(w.console.errors);
    CHECK(w.console.errors.starts_with("frenzy: "));
    CHECK(w.console.errors.find(c.part) != std::string::npos);
    CHECK(w.console.output.empty());
  }
  CHECK(w.cluster.submitted.empty());
  CHECK(w.cluster.puts == 0);
}

TEST_CASE("a file that changes while it is sent is noticed", "[cli]") {
  World w;
  write_job(w);
  auto manifest = cli::manifest_of(w.files, *w.hashing, "/home/data.txt").value();
  REQUIRE(w.files.write_text("/home/data.txt", std::string(codec::kMaxChunk * 2, 'b') + "end", FileMode::shared));
  FakeCoordinator coordinator(w.cluster);
  CHECK(cli::send_missing(coordinator, w.files, *w.hashing, manifest, [](Bytes, Bytes) {}).error().code == Errc::conflict);
}

TEST_CASE("new writes a job file that parses, and never over another", "[cli]") {
  World w;
  REQUIRE(w.files.make_directory("/home"));
  CHECK(w.run(command::New{"gpt2-tiny", "/home/j.toml"}) == 0);
  const auto text = w.files.read_text("/home/j.toml", 64_KiB).value();
  CHECK(job_file::parse_job(text, "j.toml"));
  CHECK(w.run(command::New{"gpt2-tiny", "/home/j.toml"}) == 1);
  CHECK(w.run(command::New{"gpt9"}) == 4);
  w.console = {};
  CHECK(w.run(command::New{}) == 0);
  CHECK(w.console.output == text);
}

TEST_CASE("without a coordinator every verb that needs one ends with 3 and says why", "[cli]") {
  const std::vector<cli::Command> commands{command::List{},        command::Show{"tale"},  command::Logs{"tale"}, command::Watch{"tale"},
                                           command::Wait{"tale"},  command::Cancel{"tale"}, command::Nodes{},     command::CheckpointList{"tale"},
                                           command::CheckpointVerify{"tale"}, command::CheckpointSample{"tale", "a"}};
  for (const auto& c : commands) {
    World w;
    w.cluster.down = error(Errc::unreachable, "127.0.0.1:4700 does not answer");
    CHECK(w.run(c) == 3);
    CHECK(w.console.errors == "frenzy: 127.0.0.1:4700 does not answer\n");
    CHECK(w.console.output.empty());
  }
}

TEST_CASE("an unknown job ends with 4", "[cli]") {
  World w;
  CHECK(w.run(command::Show{"nothing"}) == 4);
  CHECK(w.console.errors == "frenzy: no job 'nothing'\n");
}

TEST_CASE("wait ends with the job's code", "[cli]") {
  const std::vector<std::pair<model::JobSummary, int>> cases{{ended(model::JobState::finished), 0},
                                                             {ended(model::JobState::failed), 1},
                                                             {ended(model::JobState::failed, Errc::does_not_fit), 5},
                                                             {ended(model::JobState::cancelled), 6}};
  for (const auto& [job, code] : cases) {
    World w;
    w.cluster.updates = {{.summary = summary()}, {.summary = job, .last = true}};
    CHECK(w.run(command::Wait{"tale"}) == code);
    CHECK(w.console.output == format("tale {}: 3 devices train\n", model::name_of(job.state)));
  }
}

TEST_CASE("Ctrl-C on watch and wait detaches, says so and ends with 130", "[cli]") {
  for (const cli::Command& c : {cli::Command(command::Watch{"tale"}), cli::Command(command::Wait{"tale"})}) {
    World w;
    w.cluster.updates = {{.summary = summary()}};
    w.cluster.watch_ends = error(Errc::cancelled, "interrupted");
    CHECK(w.run(c) == 130);
    CHECK(w.console.errors.find("the job goes on") != std::string::npos);
    CHECK(w.cluster.cancelled.empty());
  }
}

TEST_CASE("cancel waits for the end and is no failure", "[cli]") {
  World w;
  w.cluster.updates = {{.summary = ended(model::JobState::cancelled), .last = true}};
  CHECK(w.run(command::Cancel{"tale"}) == 0);
  CHECK(w.cluster.cancelled == "tale");
  CHECK(w.console.output == "tale cancelled: 3 devices train\n");
}

TEST_CASE("watch in a file: whole lines with a time, no control bytes, and the last step", "[cli]") {
  World w;
  auto finished = ended(model::JobState::finished);
  finished.step = {1000};
  w.cluster.updates = {{.summary = summary(), .changes = detail().history},
                       {.summary = summary(), .rows = {row(1, 1)}},
                       {.summary = summary(), .rows = {row(2, 2)}},
                       {.summary = finished, .rows = {row(1000, 3)}},
                       {.summary = finished, .changes = {{model::JobState::finished, kNow, "1000 steps"}}, .last = true}};
  CHECK(w.run(command::Watch{"tale"}) == 0);
  CHECK_FALSE(has_control_bytes(w.console.output));
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < w.console.output.size(); ++lines) {
    CHECK(w.console.output.compare(begin, 5, "2026-") == 0);
    begin = w.console.output.find('\n', begin) + 1;
    REQUIRE(begin != 0);
  }
  CHECK(lines == 5);  // two changes, the first row, the last row, the end
  CHECK(w.console.output.find("step=1000/1000") != std::string::npos);
}

TEST_CASE("watch on a terminal of 40 columns redraws one line that fits", "[cli]") {
  World w;
  w.context.surface = {.medium = cli::Medium::terminal, .width = 40};
  w.cluster.updates = {{.summary = summary(), .rows = {row(1, 1)}},
                       {.summary = summary(), .rows = {row(2, 2)}},
                       {.summary = ended(model::JobState::finished), .changes = {{model::JobState::finished, kNow, "done"}}, .last = true}};
  CHECK(w.run(command::Watch{"tale"}) == 0);
  const auto& text = w.console.output;
  CHECK(text.starts_with("\r"));
  CHECK(text.find("\x1b[K") < 41);
  CHECK(text.find("\n2026-") != std::string::npos);
}

TEST_CASE("logs are in the order of time", "[cli]") {
  World w;
  w.cluster.updates = {{.summary = summary(),
                        .changes = {{model::JobState::running, kNow, "runs"}, {model::JobState::finished, kNow + std::chrono::seconds(5), "done"}},
                        .rows = {row(1, 1), row(2, 2)}, .last = true}};
  CHECK(w.run(command::Logs{"tale"}) == 0);
  const auto& text = w.console.output;
  CHECK(text.find("runs") < text.find("step=1 "));
  CHECK(text.find("step=2 ") < text.find("done"));
  w.console = {};
  w.context.format = cli::Format::json;
  CHECK(w.run(command::Logs{"tale"}) == 0);
  CHECK(w.console.output.starts_with("{\"state\":\"running\""));
}

TEST_CASE("users' keys are made, listed, changed and deleted in the coordinator's directory", "[cli]") {
  using command::KeyAction;
  World w;
  CHECK(w.run(command::Keys{KeyAction::add, "ada"}) == 4);  // no coordinator was ever started there
  REQUIRE(w.files.make_directory("/state/users"));
  const auto coordinator = "frenzy-keys 1\nadmission " + std::string(64, '1') + "\nidentity " + std::string(64, '2') + "\n";
  REQUIRE(w.files.write_text("/state/coordinator.key", coordinator, FileMode::secret));
  CHECK(w.run(command::Keys{KeyAction::add, "ada", UserRole::read}) == 0);
  const auto first = w.files.read_text("/state/users/ada.key", 1_KiB).value();
  CHECK(w.run(command::Keys{KeyAction::add, "ada"}) == 1);
  CHECK(w.run(command::Keys{KeyAction::rotate, "ada"}) == 0);
  const auto second = w.files.read_text("/state/users/ada.key", 1_KiB).value();
  CHECK(second != first);
  for (const auto& text : {first, second}) {
    CHECK(text.find("role read\n") != std::string::npos);
    CHECK(text.find("coordinator ") != std::string::npos);
  }
  w.console = {};
  CHECK(w.run(command::Keys{}) == 0);
  CHECK(w.console.output == "ada  read  /state/users/ada.key\n");
  CHECK(w.run(command::Keys{KeyAction::revoke, "ada"}) == 0);
  CHECK_FALSE(w.files.exists("/state/users/ada.key"));
  CHECK(w.run(command::Keys{KeyAction::revoke, "ada"}) == 4);
  for (const char* name : {"", "../ada", "a b", "a/b"}) CHECK(w.run(command::Keys{KeyAction::add, name}) == 2);
  CHECK((w.console.output + w.console.errors).find("admission") == std::string::npos);
}

}  // namespace frenzy::testing
