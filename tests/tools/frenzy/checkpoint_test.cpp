#include <catch2/catch.hpp>

#include "frenzy/cli/fetch_checkpoint.hpp"
#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"
#include "frenzy/executor/checkpoint/directory.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "world.hpp"

namespace frenzy::testing {
namespace {

namespace checkpoint = executor::checkpoint;
namespace command = cli::command;

/// A model of one small layer, with weights and moments cut in two uneven pieces a block.
struct Saved {
  World w;
  model::JobSpec job;

  Saved() {
    auto text = job_file::job_template("gpt2-tiny").value();
    job = job_file::parse_job(text, "job.toml", std::vector<std::string>{"train.seq_len=16"}).value();
    w.cluster.checkpoint = {.job = {uuid_of(9)}, .step = {7}, .toml = job_file::to_toml(job)};
    const auto layout = model::parameter_layout(job.model);
    for (std::uint32_t b = 0; b < layout.size(); ++b) {
      for (const auto field : model::kFields) {
        if (layout[b].elements == 0) continue;
        const auto cut = layout[b].elements / 3;
        add({b}, field, {0, cut});
        add({b}, field, {cut, layout[b].elements});
      }
    }
  }

  /// Writes a piece the way a node does, and moves its bytes to the fake.
  void add(BlockIndex block, model::Field field, model::ElementRange range) {
    std::vector<float> values(range.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.01F * static_cast<float>((i * 7 + block.value) % 11) - 0.05F;
    const auto piece = checkpoint::write_piece(w.files, *w.hashing, "/node", {block, field, range, model::Scalar::fp32}, std::as_bytes(std::span(values))).value();
    const auto file = w.files.open(checkpoint::piece_path("/node", piece.digest)).value();
    std::vector<std::byte> bytes(file->size().value);
    REQUIRE(file->read(0, bytes));
    w.cluster.content[piece.digest] = bytes;
    w.cluster.checkpoint.pieces.push_back({.block = block, .field = field, .elements = range, .digest = piece.digest, .size = piece.bytes, .node = {uuid_of(2)}});
  }

  Result<checkpoint::Manifest> fetch(cli::Wanted wanted) {
    FakeCoordinator coordinator(w.cluster);
    return cli::fetch_checkpoint(coordinator, w.files, *w.hashing, "tale", wanted, "/fetched", [](Bytes, Bytes) {});
  }
};

}  // namespace

TEST_CASE("a job's save is brought whole and reads like any checkpoint", "[cli]") {
  Saved s;
  const auto manifest = s.fetch(cli::Wanted::everything);
  INFO((manifest ? std::string() : manifest.error().what));
  REQUIRE(manifest);
  CHECK(manifest->step == Step{7});
  CHECK(manifest->samples == 7 * s.job.recipe.global_batch);
  const auto verified = checkpoint::verify(s.w.files, *s.w.hashing, "/fetched", checkpoint::Missing::is_a_problem).value();
  CHECK(verified.checkpoints == 1);
  CHECK(verified.problems.empty());
}

TEST_CASE("weights alone are a checkpoint too", "[cli]") {
  Saved s;
  const auto manifest = s.fetch(cli::Wanted::weights);
  REQUIRE(manifest);
  CHECK(manifest->pieces.size() * 3 == s.w.cluster.checkpoint.pieces.size());
}

TEST_CASE("damaged, missing and foreign pieces are refused and named", "[cli]") {
  Saved s;
  const auto first = s.w.cluster.checkpoint.pieces[0].digest;
  const auto name = format("{}", first);
  auto& bytes = s.w.cluster.content[first];
  bytes.back() ^= std::byte{1};
  const auto damaged = s.fetch(cli::Wanted::everything);
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().code == Errc::corrupt);
  CHECK(damaged.error().what.find(name) != std::string::npos);
  bytes.pop_back();
  CHECK(s.fetch(cli::Wanted::everything).error().code == Errc::corrupt);
  s.w.cluster.content.erase(first);
  CHECK(s.fetch(cli::Wanted::everything).error().code == Errc::unreachable);
  s.w.cluster.checkpoint.pieces.erase(s.w.cluster.checkpoint.pieces.begin());
  CHECK(s.fetch(cli::Wanted::everything).error().code == Errc::corrupt);  // a hole in the weights
}

TEST_CASE("checkpoint verbs on a directory need no coordinator", "[cli]") {
  Saved s;
  REQUIRE(s.fetch(cli::Wanted::everything));
  s.w.cluster.down = error(Errc::unreachable, "away");
  CHECK(s.w.run(command::CheckpointList{"/fetched"}) == 0);
  CHECK(s.w.console.output.starts_with("step 7: "));
  CHECK(s.w.run(command::CheckpointVerify{"/fetched"}) == 0);
  CHECK(s.w.run(command::CheckpointExport{"/fetched", "/out"}) == 0);
  CHECK(s.w.files.exists("/out/model.safetensors"));
  CHECK(s.w.files.exists("/out/config.json"));
  CHECK(s.w.run(command::CheckpointList{"/nowhere"}) == 4);
  INFO(s.w.console.errors);
}

TEST_CASE("checkpoint verbs on a job go through the coordinator and leave nothing behind", "[cli]") {
  Saved s;
  CHECK(s.w.run(command::CheckpointList{"tale"}) == 0);
  CHECK(s.w.run(command::CheckpointVerify{"tale"}) == 0);
  CHECK(s.w.run(command::CheckpointExport{"tale", "/out"}) == 0);
  INFO(s.w.console.errors);
  CHECK(s.w.files.exists("/out/model.safetensors"));
}

TEST_CASE("export brings the optimizer's state and the manifest too, unless only weights are wanted", "[cli]") {
  for (const bool of_job : {true, false}) {
    Saved s;
    if (!of_job) REQUIRE(s.fetch(cli::Wanted::everything));
    const std::string source = of_job ? "tale" : "/fetched";
    CHECK(s.w.run(command::CheckpointExport{source, "/thin", true}) == 0);
    CHECK_FALSE(s.w.files.list("/thin/checkpoint"));
    CHECK(s.w.run(command::CheckpointExport{source, "/out"}) == 0);
    CHECK(s.w.files.exists("/out/model.safetensors"));
    const auto verified = checkpoint::verify(s.w.files, *s.w.hashing, "/out/checkpoint", checkpoint::Missing::is_a_problem).value();
    CHECK(verified.checkpoints == 1);
    CHECK(verified.pieces > 2);
    CHECK(verified.problems.empty());
    const auto manifest = checkpoint::read_manifest(s.w.files, *s.w.hashing, "/out/checkpoint", {7}).value();
    CHECK(manifest.pieces.size() == s.w.cluster.checkpoint.pieces.size());
  }
}

TEST_CASE("sampling is repeatable and prints no control bytes", "[cli]") {
  Saved s;
  REQUIRE(s.fetch(cli::Wanted::weights));
  const command::CheckpointSample sample{.source = "/fetched", .prompt = "In the\x1b", .tokens = 5, .temperature = 1.0, .seed = 3};
  CHECK(s.w.run(sample) == 0);
  const auto first = s.w.console.output;
  CHECK(first.starts_with("In the?"));
  CHECK(first.ends_with("\n"));
  for (const char c : first) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  s.w.console = {};
  CHECK(s.w.run(sample) == 0);
  CHECK(s.w.console.output == first);
  CHECK(s.w.run(command::CheckpointSample{.source = "/fetched", .prompt = ""}) == 2);
}

}  // namespace frenzy::testing
