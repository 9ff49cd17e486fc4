#include <catch2/catch.hpp>

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/memory_files.hpp"
#include "frenzy/content/content_store.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/training/chunked_file.hpp"

namespace frenzy::content {
namespace {

struct Fixture {
  MemoryFiles files;
  std::unique_ptr<ContentHashing> hashing = crypto::make_content_hashing();
  ContentStore store{files, *hashing, "/content"};

  ContentDigest put(std::string_view text) {
    const auto digest = hashing->digest(bytes_of(text));
    CHECK(store.put(digest, bytes_of(text)));
    return digest;
  }
};

}  // namespace

TEST_CASE("what is stored by digest is read in parts", "[content]") {
  Fixture f;
  const auto digest = f.put("0123456789");
  CHECK(f.store.has(digest));
  const auto slice = f.store.read(digest, 8_B, 100);
  REQUIRE(slice);
  CHECK(slice->total == 10_B);
  CHECK(text_of(slice->bytes) == "89");
  CHECK(f.store.read(digest, 10_B, 5)->bytes.empty());
  CHECK(f.store.read(digest, 11_B, 5).error().code == Errc::invalid_argument);
  CHECK(f.store.read({}, 0_B, 5).error().code == Errc::not_found);
}

TEST_CASE("bytes under another digest are refused and leave nothing", "[content]") {
  Fixture f;
  CHECK(f.store.put({}, bytes_of("text")).error().code == Errc::corrupt);
  CHECK_FALSE(f.store.has({}));
}

TEST_CASE("a full disk refuses a chunk and leaves nothing half made", "[content]") {
  Fixture f;
  f.files.set_capacity(3_B);
  const auto digest = f.hashing->digest(bytes_of("text"));
  CHECK(f.store.put(digest, bytes_of("text")).error().code == Errc::io);
  CHECK_FALSE(f.store.has(digest));
}

TEST_CASE("a file in chunks reads like the file", "[content]") {
  Fixture f;
  const std::string text = "the quick brown fox";
  model::DataManifest manifest;
  manifest.path = "fox.txt";
  manifest.size = Bytes{text.size()};
  manifest.chunk_bytes = 4;
  for (std::size_t at = 0; at < text.size(); at += 4) manifest.chunks.push_back(f.put(std::string_view(text).substr(at, 4)));
  const training::ChunkedFile file(f.store, manifest);
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) {
      std::vector<std::byte> out(end - begin);
      REQUIRE(file.read(begin, out));
      REQUIRE(text_of(out) == text.substr(begin, end - begin));
    }
  }
  std::vector<std::byte> beyond(2);
  CHECK(file.read(text.size() - 1, beyond).error().code == Errc::io);
}

TEST_CASE("a manifest with too few chunks is found out", "[content]") {
  Fixture f;
  model::DataManifest manifest;
  manifest.path = "fox.txt";
  manifest.size = 100_B;
  manifest.chunk_bytes = 4;
  manifest.chunks.push_back(f.put("abcd"));
  const training::ChunkedFile file(f.store, manifest);
  std::vector<std::byte> out(8);
  CHECK(file.read(0, out).error().code == Errc::corrupt);
}

TEST_CASE("pieces are listed and removed by digest, half-written ones apart", "[content]") {
  Fixture f;
  ContentStore pieces(f.files, *f.hashing, "/saves", Layout::pieces);
  CHECK(pieces.list()->empty());
  CHECK(*pieces.remove_unfinished() == 0);
  const std::vector<std::byte> bytes(5, std::byte{3});
  const auto digest = f.hashing->digest(bytes);
  REQUIRE(pieces.put(digest, bytes));
  const auto half = format("/saves/pieces/{}.safetensors.tmp.12.3", digest);
  REQUIRE(f.files.write_text(half, "half", FileMode::shared));
  CHECK(*pieces.list() == std::vector{digest});
  CHECK(*pieces.remove_unfinished() == 1);
  CHECK_FALSE(f.files.exists(half));
  CHECK(pieces.has(digest));
  CHECK(pieces.remove(digest));
  CHECK(pieces.remove(digest));
  CHECK(pieces.list()->empty());
}

}  // namespace frenzy::content
