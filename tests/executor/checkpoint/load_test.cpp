#include "checkpoint_fixture.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using namespace frenzy;
using namespace frenzy::executor::checkpoint;
using frenzy::test::Fixture;
using frenzy::test::state_bytes;

namespace {

CheckpointReader open_reader(Fixture& fixture, std::uint64_t step) {
  auto reader =
      CheckpointReader::open(fixture.files, fixture.hashing, fixture.directory, Step{step});
  REQUIRE(reader.ok());
  return std::move(*reader);
}

Status load_all(CheckpointReader& reader, const model::ModelSpec& spec, model::Scalar scalar) {
  const auto blocks = model::parameter_layout(spec);
  for (const auto field : kFields) {
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      std::vector<std::byte> out(blocks[block].elements * model::size_of(scalar));
      const auto loaded = reader.load({block}, field, {0, blocks[block].elements}, std::span(out));
      if (!loaded) return loaded;
    }
  }
  return {};
}

std::vector<std::string> names_in(Fixture& fixture, const std::string& folder) {
  auto names = fixture.files.list(folder);
  REQUIRE(names.ok());
  return std::move(*names);
}

std::uint64_t bytes_in(Fixture& fixture, const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& name : names_in(fixture, folder)) {
    bytes += (*fixture.files.open(folder + "/" + name))->size().value;
  }
  return bytes;
}

}  // namespace

TEST_CASE("any range loads bit for bit, however the state was cut", "[checkpoint]") {
  Rng rng(17);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Fixture fixture;
    fixture.scalar = seed % 2 == 0 ? model::Scalar::fp32 : model::Scalar::fp64;
    fixture.model.tying = seed % 3 == 0 ? model::Tying::untied : model::Tying::tied;
    REQUIRE(fixture.save(7, seed).ok());
    auto reader = open_reader(fixture, 7);
    const auto blocks = model::parameter_layout(fixture.model);
    for (int round = 0; round < 60; ++round) {
      const auto block = static_cast<std::uint32_t>(rng.below(blocks.size()));
      const auto begin = rng.below(blocks[block].elements + 1);
      const auto end = begin + rng.below(blocks[block].elements - begin + 1);
      const PieceSpec spec{{block}, kFields[rng.below(3)], {begin, end}, fixture.scalar};
      std::vector<std::byte> out(spec.data_bytes());
      REQUIRE(reader.load(spec.block, spec.field, spec.range, std::span(out)).ok());
      REQUIRE(out == state_bytes(7, spec));
    }
  }
}

TEST_CASE("typed loads have the checkpoint's scalar type only", "[checkpoint]") {
  Fixture fixture;
  fixture.scalar = model::Scalar::fp64;
  REQUIRE(fixture.save(7, 1).ok());
  auto reader = open_reader(fixture, 7);
  std::vector<double> doubles(10);
  REQUIRE(reader.load({1}, Field::moment1, {5, 15}, std::span(doubles)).ok());
  const auto expected = state_bytes(7, {{1}, Field::moment1, {5, 15}, fixture.scalar});
  CHECK(std::memcmp(doubles.data(), expected.data(), expected.size()) == 0);
  std::vector<float> floats(10);
  const auto wrong = reader.load({1}, Field::moment1, {5, 15}, std::span(floats));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error() ==
        Error{Errc::invalid_argument, "/state/job: the checkpoint is fp64, not fp32"});
  CHECK_FALSE(reader.load({1}, Field::moment1, {5, 16}, std::span(doubles)).ok());
}

TEST_CASE("pieces that overlap, as replicas write them, load as one", "[checkpoint]") {
  Fixture fixture;
  Rng first(1), second(2);
  auto manifest = *fixture.write_pieces(9, first);
  const auto replica = *fixture.write_pieces(9, second);
  manifest.pieces.insert(manifest.pieces.end(), replica.pieces.begin(), replica.pieces.end());
  REQUIRE(write_manifest(fixture.files, fixture.hashing, fixture.directory, manifest).ok());
  auto reader = open_reader(fixture, 9);
  const auto elements = model::parameter_layout(fixture.model)[1].elements;
  const PieceSpec spec{{1}, Field::weights, {0, elements}, fixture.scalar};
  std::vector<std::byte> out(spec.data_bytes());
  REQUIRE(reader.load(spec.block, spec.field, spec.range, std::span(out)).ok());
  CHECK(out == state_bytes(9, spec));
}

TEST_CASE("a hole is an error that names the element", "[checkpoint]") {
  Fixture fixture;
  Rng rng(5);
  auto manifest = *fixture.write_pieces(9, rng);
  std::erase_if(manifest.pieces,
                [](const Piece& piece) { return piece.spec.field == Field::moment2; });
  CheckpointReader reader(fixture.files, fixture.hashing, fixture.directory, manifest);
  std::vector<std::byte> out(40);
  const auto loaded = reader.load({2}, Field::moment2, {3, 13}, std::span(out));
  REQUIRE_FALSE(loaded.ok());
  CHECK(
      loaded.error() ==
      Error{Errc::not_found, "/state/job: element 3 of block 2 moment2 at step 9 is in no piece"});
  const auto outside = reader.load({99}, Field::weights, {0, 10}, std::span(out));
  REQUIRE_FALSE(outside.ok());
  CHECK(outside.error().code == Errc::not_found);
}

TEST_CASE("one flipped bit anywhere in a piece is found, naming piece and digest", "[checkpoint]") {
  Rng rng(23);
  for (int round = 0; round < 40; ++round) {
    Fixture fixture;
    REQUIRE(fixture.save(7, 1).ok());
    const auto manifest =
        *read_manifest(fixture.files, fixture.hashing, fixture.directory, Step{7});
    const auto& piece = manifest.pieces[rng.below(manifest.pieces.size())];
    if (piece.spec.range.empty()) continue;
    const auto path = piece_path(fixture.directory, piece.digest);
    fixture.flip_bit(path, rng.below(piece.bytes.value * 8));
    auto reader = open_reader(fixture, 7);
    const auto loaded = load_all(reader, fixture.model, fixture.scalar);
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().code == Errc::corrupt);
    CHECK(loaded.error().what.starts_with(
        format("{}: piece {} is damaged, its content has digest ", path, piece.spec)));
  }
}

TEST_CASE("a piece that is short, missing or another one is found", "[checkpoint]") {
  Fixture fixture;
  REQUIRE(fixture.save(7, 1).ok());
  const auto manifest = *read_manifest(fixture.files, fixture.hashing, fixture.directory, Step{7});
  const auto& piece = manifest.pieces.back();
  const auto path = piece_path(fixture.directory, piece.digest);
  const auto text = *fixture.files.read_text(path, 1_MiB);

  REQUIRE(fixture.files.write_text(path, text.substr(0, text.size() / 2), FileMode::shared).ok());
  auto half = check_piece(fixture.files, fixture.hashing, fixture.directory, piece);
  REQUIRE_FALSE(half.ok());
  CHECK(half.error().what == format("{}: piece {} has {} bytes, its manifest says {}", path,
                                    piece.spec, text.size() / 2, text.size()));
  REQUIRE(fixture.files.remove(path).ok());
  const auto missing = check_piece(fixture.files, fixture.hashing, fixture.directory, piece);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == Errc::not_found);
  CHECK(missing.error().what == format("piece {}: {}: no such file", piece.spec, path));

  REQUIRE(fixture.files.write_text(path, text, FileMode::shared).ok());
  auto moved = piece;
  moved.spec.block = {0};
  const auto other = check_piece(fixture.files, fixture.hashing, fixture.directory, moved);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().what == format("{}: does not hold piece {}", path, moved.spec));
}

TEST_CASE("a full disk at any point leaves the older checkpoint and no half written file",
          "[checkpoint]") {
  Fixture whole;
  REQUIRE(whole.save(7, 1).ok());
  int failed = 0;
  for (std::uint64_t room = 0; room < 60'000; room += 1777) {
    Fixture fixture;
    REQUIRE(fixture.save(6, 2).ok());
    const auto pieces = fixture.directory + "/pieces";
    const auto before = names_in(fixture, fixture.directory);
    const auto used = bytes_in(fixture, fixture.directory) + bytes_in(fixture, pieces);
    fixture.files.set_capacity(Bytes{used + room});
    const auto saved = fixture.save(7, 1);
    auto old_reader = open_reader(fixture, 6);
    REQUIRE(load_all(old_reader, fixture.model, fixture.scalar).ok());
    if (saved.ok()) {
      auto reader = open_reader(fixture, 7);
      REQUIRE(load_all(reader, fixture.model, fixture.scalar).ok());
      continue;
    }
    ++failed;
    CHECK(saved.error().code == Errc::io);
    CHECK(names_in(fixture, fixture.directory) == before);
    for (const auto& name : names_in(fixture, pieces)) {
      const auto text = *fixture.files.read_text(pieces + "/" + name, 1_MiB);
      CHECK(format("{}.safetensors", fixture.hashing.digest(std::as_bytes(std::span(text)))) ==
            name);
    }
  }
  CHECK(failed > 5);
}
