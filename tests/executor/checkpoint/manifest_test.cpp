#include "frenzy/executor/checkpoint/manifest.hpp"

#include "checkpoint_fixture.hpp"

#include "frenzy/base/byte_io.hpp"

#include <catch2/catch.hpp>

using namespace frenzy;
using namespace frenzy::executor::checkpoint;
using frenzy::test::Fixture;

namespace {

Manifest whole_manifest(Fixture& fixture, std::uint64_t seed = 1) {
  Rng rng(seed);
  const auto manifest = fixture.write_pieces(120, rng);
  REQUIRE(manifest.ok());
  return *manifest;
}

/// `text` with its digest made right again.
std::string signed_text(std::string text, const ContentHashing& hashing) {
  const auto body = text.substr(0, text.rfind("\"digest\": \""));
  return body + format("\"digest\": \"{}\"}\n", hashing.digest(bytes_of(body)));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a manifest survives its text", "[checkpoint]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Fixture fixture;
    fixture.scalar = seed % 2 == 0 ? model::Scalar::fp32 : model::Scalar::fp64;
    fixture.model.tying = seed % 3 == 0 ? model::Tying::untied : model::Tying::tied;
    fixture.model.norm_epsilon = 1e-5 * static_cast<double>(seed + 1) / 3.0;
    const auto manifest = whole_manifest(fixture, seed);
    const auto again = parse_manifest(manifest_text(manifest, fixture.hashing), fixture.hashing);
    REQUIRE(again.ok());
    CHECK(*again == manifest);
  }
}

TEST_CASE("a manifest reads as JSON that a person can follow", "[checkpoint]") {
  Fixture fixture;
  auto manifest = fixture.manifest_at(120);
  manifest.pieces = {{{{3}, Field::moment1, {8, 16}, model::Scalar::fp64}, {}, 200_B}};
  const auto text = manifest_text(manifest, fixture.hashing);
  CHECK(text.starts_with(format(
      "{\"format\": 1,\n\"job\": \"{}\",\n\"step\": 120,\n\"samples\": 2880,\n"
      "\"recipe\": \"00000000000001230000000000000078\",\n"
      "\"model\": {\"family\": \"gpt2\", \"layers\": 2, \"hidden\": 8, \"heads\": 2, \"ffn\": 20, "
      "\"positions\": 6, \"vocabulary\": 11, \"tying\": \"tied\", \"norm_epsilon\": 1e-05},\n"
      "\"pieces\": [\n {\"block\": 3, \"field\": \"moment1\", \"begin\": 8, \"end\": 16, "
      "\"scalar\": \"fp64\", \"digest\": \"{}\", \"bytes\": 200}],\n\"digest\": \"",
      manifest.job, ContentDigest{})));
  CHECK(manifest_path("d", Step{120}) == "d/step-0000000000120.json");
}

TEST_CASE("a manifest that is cut off or has one wrong bit is refused", "[checkpoint]") {
  Fixture fixture;
  const auto text = manifest_text(whole_manifest(fixture), fixture.hashing);
  for (std::size_t length = 0; length < text.size(); length += 7) {
    REQUIRE_FALSE(parse_manifest(text.substr(0, length), fixture.hashing).ok());
  }
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    auto flipped = text;
    const auto bit = rng.below(text.size() * 8);
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto manifest = parse_manifest(flipped, fixture.hashing);
    REQUIRE_FALSE(manifest.ok());
    REQUIRE(manifest.error().code == Errc::corrupt);
  }
}

TEST_CASE("a manifest of another format is refused with both numbers", "[checkpoint]") {
  Fixture fixture;
  const auto text = manifest_text(whole_manifest(fixture), fixture.hashing);
  const auto later = signed_text(replaced(text, "\"format\": 1,", "\"format\": 2, \"new\": [1],"),
                                 fixture.hashing);
  const auto manifest = parse_manifest(later, fixture.hashing);
  REQUIRE_FALSE(manifest.ok());
  CHECK(manifest.error() ==
        Error{Errc::unsupported, "manifest format 2, this version reads format 1"});
}

TEST_CASE("a well signed manifest with wrong content is refused", "[checkpoint]") {
  Fixture fixture;
  const auto text = manifest_text(whole_manifest(fixture), fixture.hashing);
  struct Row {
    std::string from, to, reason;
  };
  for (const auto& row : std::vector<Row>{
           {"\"samples\"", "\"sample\"", "unknown key 'sample'"},
           {"\"samples\": 2880,\n", "", "a key is missing"},
           {"\"step\": 120", "\"step\": -1", "expected an unsigned integer"},
           {"\"layers\": 2", "\"layers\": 4000000", "pieces are too few for 4000002 blocks"},
           {"\"layers\": 2", "\"layers\": 4294967296", "a number of more than 32 bits"},
           {"\"heads\": 2", "\"heads\": 3", "model.hidden 8 is not a multiple of model.heads 3"},
           {"\"family\": \"gpt2\"", "\"family\": \"gpt5\"", "an unknown model family"},
           {"\"field\": \"weights\"", "\"field\": \"wheights\"", "an unknown field of a piece"},
           {"\"scalar\": \"fp32\"", "\"scalar\": \"fp64\"", "the first one is fp64"},
           {"\"scalar\": \"fp32\"", "\"scalar\": \"int8\"",
            "a scalar that is neither fp32 nor fp64"},
           {"\"block\": 0", "\"block\": 9", "the model has 4 blocks"},
           {"\"begin\": 0", "\"begin\": 99999", "the block has "},
           {"\"pieces\": [", "\"pieces\": [[", "expected an object, found nested '['"}}) {
    const auto manifest = parse_manifest(
        signed_text(replaced(text, row.from, row.to), fixture.hashing), fixture.hashing);
    INFO(row.to);
    REQUIRE_FALSE(manifest.ok());
    INFO(manifest.error().what);
    CHECK(manifest.error().code == Errc::corrupt);
    CHECK(manifest.error().what.find(row.reason) != std::string::npos);
  }
}

TEST_CASE("a manifest with a hole is not written", "[checkpoint]") {
  Fixture fixture;
  const auto manifest = whole_manifest(fixture);
  for (std::size_t i = 0; i < manifest.pieces.size(); ++i) {
    auto holed = manifest;
    const auto spec = holed.pieces[i].spec;
    holed.pieces.erase(holed.pieces.begin() + static_cast<std::ptrdiff_t>(i));
    const auto written = write_manifest(fixture.files, fixture.hashing, fixture.directory, holed);
    INFO(format("{}", spec));
    CHECK(written.ok() == spec.range.empty());
    if (!written.ok()) {
      CHECK(written.error().what.find(format("element {} of block {} {} is in no piece",
                                             spec.range.begin, spec.block, name_of(spec.field))) !=
            std::string::npos);
    }
  }
}

TEST_CASE("a recipe's fingerprint sees every field", "[checkpoint]") {
  const model::Recipe base{.steps = 5, .global_batch = 3, .sequence = 8, .learning_rate = 1e-3};
  std::vector<model::Recipe> others(16, base);
  others[0].steps = 6;
  others[1].global_batch = 4;
  others[2].sequence = 9;
  others[3].optimizer = model::OptimizerKind::sgd;
  others[4].learning_rate = 2e-3;
  others[5].minimum_rate = 1e-9;
  others[6].schedule = model::Schedule::linear;
  others[7].warmup = 1;
  others[8].beta1 = 0.8;
  others[9].beta2 = 0.8;
  others[10].epsilon = 1e-7;
  others[11].weight_decay = 0;
  others[12].clip = 0;
  others[13].precision = model::Scalar::fp64;
  others[14].dropout = 0.1;
  others[15].seed = 1;
  for (const auto& other : others) CHECK(recipe_fingerprint(other) != recipe_fingerprint(base));
  CHECK(recipe_fingerprint(base) == recipe_fingerprint(model::Recipe(base)));
}
