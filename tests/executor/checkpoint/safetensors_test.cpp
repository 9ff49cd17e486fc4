#include "frenzy/executor/checkpoint/safetensors.hpp"

#include "allocation_watch.hpp"

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/memory_files.hpp"
#include "frenzy/base/rng.hpp"
#include "mutations.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <string>
#include <vector>

using namespace frenzy;
using namespace std::string_view_literals;
using namespace frenzy::executor::checkpoint;
using frenzy::test::AllocationWatch;

namespace {

std::string with_length(std::uint64_t length, const std::string& rest) {
  ByteWriter out;
  out.write(length);
  return text_of(out.bytes()) + rest;
}

std::string file_of(const std::string& json, std::size_t data_bytes) {
  return with_length(json.size(), json + std::string(data_bytes, 'd'));
}

/// One tensor "a"; `offsets` and `shape` without brackets.
std::string one(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return "{\"a\":{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":[" + std::string(shape) +
         "],\"data_offsets\":[" + std::string(offsets) + "]}}";
}

const std::string kB = "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":";
const std::string kA = "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":";

Result<SafetensorsHeader> read_bytes(const std::string& bytes) {
  MemoryFiles files;
  REQUIRE(files.write_text("f", bytes, FileMode::shared).ok());
  const auto file = files.open("f");
  REQUIRE(file.ok());
  const AllocationWatch watch;
  auto header = read_header(**file, "f.safetensors");
  const auto peak = watch.peak();
  CHECK(peak < (1 << 20));
  return header;
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

constexpr std::string_view kSpice = "\"{}[],:\\09-.eu\xff\x80 "sv;

struct Row {
  std::string bytes, reason;
};
const std::string kMost = std::to_string(std::numeric_limits<std::uint64_t>::max());
const std::vector<Row> kHostile{
    {"", "0 bytes are too few for a safetensors header"},
    {"1234567", "7 bytes are too few for a safetensors header"},
    {with_length(1ULL << 63, "{}"),
     "a header of 9223372036854775808 bytes is longer than the file (10 bytes)"},
    {with_length(~0ULL, "{}"), "a header of 18446744073709551615 bytes is longer than the file"},
    {with_length(3, "{}"), "a header of 3 bytes is longer than the file (10 bytes)"},
    {file_of(std::string(300 << 10, ' '), 0),
     "a header of 307200 bytes is above the limit of 262144"},
    {file_of("", 0), "the header does not begin with '{'"},
    {file_of(" {}", 0), "the header does not begin with '{'"},
    {file_of("{\"\xff\":1}", 0), "the header is not UTF-8"},
    {file_of("{\"\xed\xa0\x80\":1}", 0), "the header is not UTF-8"},
    {file_of("{\"\xc0\xaf\":1}", 0), "the header is not UTF-8"},
    {file_of("{", 0), "expected a string at byte 1"},
    {file_of("{}x", 0), "text after the end at byte 2"},
    {file_of("{\"a\"", 0), "expected ':'"},
    {file_of("{\"a\":3}", 0), "expected an object"},
    {file_of("{\"a\":{}}", 0), "a tensor without dtype, shape or data_offsets"},
    {file_of("{\"a\\ud800\":{}}", 0), "half a surrogate pair"},
    {file_of("{\"a\\x\":{}}", 0), "an unknown escape"},
    {file_of("{\"a\n\":{}}", 0), "a control byte in a string"},
    {file_of("{\"a", 0), "a string without end"},
    {file_of("{\"" + std::string(2000, 'n') + "\":{}}", 0), "a string of more than 1024 bytes"},
    {file_of(one("F31", "1", "0,4"), 4), "unknown dtype 'F31' of tensor 'a'"},
    {file_of(one("F32", "1", "4,0"), 4), "tensor 'a' has reversed offsets [4, 0)"},
    {file_of(one("F32", "2", "0,8"), 4),
     "tensor 'a' ends at 8, past the end of the data (4 bytes)"},
    {file_of(one("F32", "2", "0,4"), 4), "tensor 'a' has 4 bytes, its shape and dtype need 8"},
    {file_of(one("F32", "1", "0,4"), 5), "1 bytes at the end belong to no tensor"},
    {file_of(one("F32", "1", "1,5"), 5), "1 bytes before tensor 'a' belong to no tensor"},
    {file_of(one("F32", kMost + ",2", "0,4"), 4), "the shape of tensor 'a' is larger than 64 bits"},
    {file_of(one("F32", kMost + "0", "0,4"), 4), "a number of more than 64 bits"},
    {file_of(one("F32", "-1", "0,4"), 4), "expected an unsigned integer"},
    {file_of(one("F32", "1.0", "0,4"), 4), "expected an unsigned integer"},
    {file_of(one("F32", "01", "0,4"), 4), "expected an unsigned integer"},
    {file_of(one("F32", "[1]", "0,4"), 4), "expected an unsigned integer, found nesting"},
    {file_of(one("F32", "1,1,1,1,1,1,1,1,1", "0,4"), 4), "more than 8 dimensions"},
    {file_of(one("F32", "1", "0,4,4"), 4), "more than two data_offsets"},
    {file_of(one("F32", "1", "0"), 4), "fewer than two data_offsets"},
    {file_of("{" + kA + "[0,4]}," + kA + "[4,8]}}", 8), "duplicate key 'a'"},
    {file_of("{" + kA + "[0,4],\"shape\":[4]}}", 4), "duplicate key 'shape'"},
    {file_of("{" + kA + "[0,4],\"extra\":1}}", 4), "unknown key 'extra' of a tensor"},
    {file_of("{" + kA + "[0,4]}," + kB + "[3,7]}}", 7),
     "tensor 'b' at 3 overlaps the one that ends at 4"},
    {file_of("{" + kA + "[0,4]}," + kB + "[0,4]}}", 4), "overlaps the one that ends at 4"},
    {file_of("{" + kA + "[0,4]}," + kB + "[5,9]}}", 9),
     "1 bytes before tensor 'b' belong to no tensor"},
    {file_of("{\"__metadata__\":{\"a\":{\"b\":1}}}", 0), "expected a string, found nested '{'"},
    {file_of("{\"__metadata__\":[1]}", 0), "expected an object, found nested '['"},
    {file_of("{\"a\":" + repeated("[", 100'000), 0), "expected an object, found nested '['"},
    {file_of("{\"a\":" + repeated("{\"a\":", 40'000), 0), "unknown key 'a' of a tensor"},
    {file_of("{\"__metadata__\":{" + repeated("\"x\":\"\",", 30'000), 0), "duplicate key 'x'"}};

}  // namespace

TEST_CASE("a written header reads back, and its tensors lie one after another", "[checkpoint]") {
  const std::vector<TensorShape> tensors{{"w\"\n\u00e9", model::Scalar::fp32, {3, 5}},
                                         {"empty", model::Scalar::fp64, {0, 7}},
                                         {"scalar", model::Scalar::fp64, {}},
                                         {"half", model::Scalar::bf16, {2}}};
  const auto text = header_text(tensors, {{"format", "pt"}, {"k\\", "\x01"}});
  CHECK(text.size() % 8 == 0);
  const auto header = read_bytes(text + std::string(60 + 0 + 8 + 4, 'x'));
  REQUIRE(header.ok());
  CHECK(header->data_start == text.size());
  CHECK(header->metadata == Metadata{{"format", "pt"}, {"k\\", "\x01"}});
  REQUIRE(header->tensors.size() == 4);
  CHECK(header->tensors[0] == TensorEntry{"w\"\n\u00e9", model::Scalar::fp32, {3, 5}, 0, 60});
  CHECK(header->tensors[1] == TensorEntry{"empty", model::Scalar::fp64, {0, 7}, 60, 60});
  CHECK(header->tensors[2] == TensorEntry{"scalar", model::Scalar::fp64, {}, 60, 68});
  CHECK(header->tensors[3] == TensorEntry{"half", model::Scalar::bf16, {2}, 68, 72});
}

TEST_CASE("tensors may be listed in any order and escapes are read", "[checkpoint]") {
  const auto header =
      read_bytes(file_of("{ \"\\u00e9\\ud83d\\ude00\\n\" :{\"data_offsets\":[4,8],\"shape\":[4],"
                         "\"dtype\":\"U8\"},\n" +
                             kA + "[0,4]}}   ",
                         8));
  REQUIRE(header.ok());
  CHECK(header->tensors[0].name == "a");
  CHECK(header->tensors[1].name == "\u00e9\U0001f600\n");
}

TEST_CASE("every hostile header is refused with its own reason", "[checkpoint]") {
  for (const auto& row : kHostile) {
    const auto header = read_bytes(row.bytes);
    INFO(row.reason);
    REQUIRE_FALSE(header.ok());
    INFO(header.error().what);
    CHECK(header.error().code == Errc::corrupt);
    CHECK(header.error().what.starts_with("f.safetensors: "));
    CHECK(header.error().what.find(row.reason) != std::string::npos);
  }
}

TEST_CASE("a header full of entries stays under the limit of memory", "[checkpoint]") {
  std::string tensors = "{", metadata = "{\"__metadata__\":{";
  for (int i = 0; tensors.size() < (250 << 10); ++i) {
    tensors +=
        "\"" + std::to_string(i) + "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},";
  }
  for (int i = 0; metadata.size() < (250 << 10); ++i)
    metadata += "\"" + std::to_string(i) + "\":\"\",";
  const auto many = read_bytes(file_of(tensors, 0));
  REQUIRE_FALSE(many.ok());
  CHECK(many.error().what.find("more than 2048 tensors") != std::string::npos);
  const auto notes = read_bytes(file_of(metadata, 0));
  REQUIRE_FALSE(notes.ok());
  CHECK(notes.error().what.find("more than 256 metadata entries") != std::string::npos);
}

TEST_CASE("mutated headers are refused or describe the data exactly", "[checkpoint]") {
  const std::vector<TensorShape> tensors{{"transformer.wte.weight", model::Scalar::fp32, {4, 2}},
                                         {"b", model::Scalar::fp64, {3}},
                                         {"c", model::Scalar::byte, {1, 1}}};
  const auto original = header_text(tensors, {{"format", "pt"}}) + std::string(32 + 24 + 1, 'x');
  Rng rng(31);
  int accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    const auto bytes = tests::mutated(original, kSpice, rng);
    const auto header = read_bytes(bytes);
    if (!header.ok()) continue;
    ++accepted;
    std::uint64_t at = 0;
    for (const auto& tensor : header->tensors) {
      REQUIRE(tensor.begin == at);
      at = tensor.end;
    }
    REQUIRE(header->data_start + at == bytes.size());
  }
  CHECK(accepted > 0);
}
