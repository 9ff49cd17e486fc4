#include "frenzy/executor/checkpoint/directory.hpp"

#include "checkpoint_fixture.hpp"

#include <catch2/catch.hpp>

using namespace frenzy;
using namespace frenzy::executor::checkpoint;
using frenzy::test::Fixture;

namespace {

std::vector<std::uint64_t> steps_of(Fixture& fixture) {
  std::vector<std::uint64_t> out;
  const auto steps = list_steps(fixture.files, fixture.directory);
  REQUIRE(steps.ok());
  for (const auto step : *steps) out.push_back(step.value);
  return out;
}

std::size_t piece_files(Fixture& fixture) {
  return fixture.files.list(fixture.directory + "/pieces")->size();
}

Verified verified(Fixture& fixture, Missing missing = Missing::is_a_problem) {
  const auto out = verify(fixture.files, fixture.hashing, fixture.directory, missing);
  REQUIRE(out.ok());
  return *out;
}

Result<Removed> removed(Fixture& fixture, std::uint64_t keep,
                        Missing missing = Missing::is_a_problem) {
  return remove_old(fixture.files, fixture.hashing, fixture.directory, keep, missing);
}

std::string some_piece(Fixture& fixture, std::uint64_t step) {
  const auto manifest =
      *read_manifest(fixture.files, fixture.hashing, fixture.directory, Step{step});
  for (const auto& piece : manifest.pieces) {
    if (!piece.spec.range.empty()) return piece_path(fixture.directory, piece.digest);
  }
  return {};
}

}  // namespace

TEST_CASE("checkpoints are listed by step, other files are not", "[checkpoint]") {
  Fixture fixture;
  CHECK(list_steps(fixture.files, fixture.directory).error().code == Errc::not_found);
  for (const std::uint64_t step : {100ULL, 20ULL, 3ULL}) REQUIRE(fixture.save(step, step).ok());
  for (const std::string name : {"step-0000000000050.json.tmp.1.2", "step-50.json", "notes.txt",
                                 "step-000000000005x.json"}) {
    REQUIRE(fixture.files.write_text(fixture.directory + "/" + name, "x", FileMode::shared).ok());
  }
  CHECK(steps_of(fixture) == std::vector<std::uint64_t>{3, 20, 100});
}

TEST_CASE("verification counts what is right and names what is wrong", "[checkpoint]") {
  Fixture fixture;
  REQUIRE(fixture.save(5, 1).ok());
  REQUIRE(fixture.save(6, 2).ok());
  const auto good = verified(fixture);
  CHECK(good.checkpoints == 2);
  CHECK(good.pieces == piece_files(fixture));
  CHECK(good.problems.empty());
  CHECK(good.bytes > 0_B);

  const auto damaged = some_piece(fixture, 6);
  fixture.flip_bit(damaged, 80);
  REQUIRE(fixture.files.remove(some_piece(fixture, 5)).ok());
  fixture.flip_bit(manifest_path(fixture.directory, Step{6}), 400);
  auto bad = verified(fixture);
  REQUIRE(bad.problems.size() == 2);
  CHECK(bad.problems[0].find("no such file") != std::string::npos);
  CHECK(bad.problems[1].find("step-0000000000006.json: the manifest is damaged") !=
        std::string::npos);
  fixture.flip_bit(manifest_path(fixture.directory, Step{6}), 400);
  bad = verified(fixture, Missing::lies_elsewhere);
  REQUIRE(bad.problems.size() == 1);
  CHECK(bad.problems[0].starts_with(damaged));
  CHECK(bad.elsewhere == 1);
}

TEST_CASE("old checkpoints go, kept ones still load", "[checkpoint]") {
  for (std::uint64_t keep = 1; keep <= 6; ++keep) {
    Fixture fixture;
    for (std::uint64_t step = 1; step <= 5; ++step) REQUIRE(fixture.save(step, step).ok());
    const auto gone = removed(fixture, keep);
    REQUIRE(gone.ok());
    CHECK(gone->checkpoints == (keep < 5 ? 5 - keep : 0));
    CHECK(steps_of(fixture).size() == std::min<std::uint64_t>(keep, 5));
    CHECK(steps_of(fixture).back() == 5);
    const auto left = verified(fixture);
    CHECK(left.problems.empty());
    CHECK(left.pieces == piece_files(fixture));
  }
}

TEST_CASE("pieces that kept checkpoints share, and those of a save in progress, stay",
          "[checkpoint]") {
  Fixture fixture;
  REQUIRE(fixture.save(1, 1).ok());
  auto shared = *read_manifest(fixture.files, fixture.hashing, fixture.directory, Step{1});
  shared.step = {2};
  REQUIRE(write_manifest(fixture.files, fixture.hashing, fixture.directory, shared).ok());
  Rng rng(9);
  REQUIRE(fixture.write_pieces(3, rng).ok());
  const auto before = piece_files(fixture);
  const auto gone = removed(fixture, 1);
  REQUIRE(gone.ok());
  CHECK(gone->checkpoints == 1);
  CHECK(gone->pieces == 0);
  CHECK(piece_files(fixture) == before);
  CHECK(verified(fixture).problems.empty());

  const auto half_written = some_piece(fixture, 2) + ".tmp.77.1";
  REQUIRE(fixture.files.write_text(half_written, "half", FileMode::shared).ok());
  const auto unnamed = remove_unnamed(fixture.files, fixture.hashing, fixture.directory);
  REQUIRE(unnamed.ok());
  CHECK(*unnamed > 0);
  CHECK(piece_files(fixture) == verified(fixture).pieces);
  CHECK(verified(fixture).problems.empty());
}

TEST_CASE("nothing is removed while the newest checkpoint is not whole", "[checkpoint]") {
  Fixture fixture;
  REQUIRE(fixture.save(1, 1).ok());
  REQUIRE(fixture.save(2, 2).ok());
  const auto path = some_piece(fixture, 2);
  const auto text = *fixture.files.read_text(path, 1_MiB);
  REQUIRE(fixture.files.remove(path).ok());
  const auto refused = removed(fixture, 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::corrupt);
  CHECK(refused.error().what.find("nothing was removed, the newest checkpoint is not whole") !=
        std::string::npos);
  CHECK(steps_of(fixture) == std::vector<std::uint64_t>{1, 2});
  CHECK(removed(fixture, 1, Missing::lies_elsewhere).ok());

  REQUIRE(fixture.save(3, 3).ok());
  fixture.flip_bit(manifest_path(fixture.directory, Step{3}), 99);
  CHECK_FALSE(removed(fixture, 1, Missing::lies_elsewhere).ok());
  CHECK(remove_unnamed(fixture.files, fixture.hashing, fixture.directory).error().code ==
        Errc::corrupt);
}
