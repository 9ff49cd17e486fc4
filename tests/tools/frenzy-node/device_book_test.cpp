#include <catch2/catch.hpp>

#include "frenzy/base/memory_files.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/tools/device_book.hpp"
#include "frenzy/tools/device_options.hpp"

namespace frenzy::tools {
namespace {

struct Node {
  MemoryFiles files;
  Rng rng{1};

  std::vector<model::DeviceSpec> start(const std::vector<std::string>& devices) {
    auto out = parse_devices(devices).value();
    REQUIRE(identify(out, "n1", files, "/state/devices", rng).ok());
    return out;
  }
};

}  // namespace

TEST_CASE("devices keep UUID and name when a node names them in another order", "[node]") {
  Node node;
  const auto before = node.start({"512MiB:1", "512MiB:2"});
  CHECK(before[0].name == "n1/cpu0");
  CHECK(before[1].name == "n1/cpu1");
  CHECK(before[0].id != before[1].id);
  const auto after = node.start({"512MiB:2", "512MiB:1"});
  CHECK(after[0] == before[1]);
  CHECK(after[1] == before[0]);
}

TEST_CASE("a device that is described otherwise is another one", "[node]") {
  Node node;
  const auto before = node.start({"512MiB:1", "512MiB:2"});
  const auto after = node.start({"512MiB:3", "512MiB:2"});
  CHECK(after[0].id != before[0].id);
  CHECK(after[0].name == "n1/cpu0");
  CHECK(after[1] == before[1]);
}

TEST_CASE("a device that comes back is the one it was, though its name may be taken", "[node]") {
  Node node;
  const auto first = node.start({"512MiB:1"});
  const auto other = node.start({"256MiB:1"});
  CHECK(other[0].name == "n1/cpu0");
  const auto both = node.start({"256MiB:1", "512MiB:1"});
  CHECK(both[0] == other[0]);
  CHECK(both[1].id == first[0].id);
  CHECK(both[1].name == "n1/cpu1");
}

TEST_CASE("devices described alike have UUIDs of their own, the same at each start", "[node]") {
  Node node;
  const auto before = node.start({"64MiB:1", "64MiB:1", "64MiB:0.3"});
  CHECK(before[0].id != before[1].id);
  CHECK(node.start({"64MiB:1", "64MiB:1", "64MiB:0.3"}) == before);
}

TEST_CASE("the book forgets absent devices beyond its bound", "[node]") {
  Rng rng(1);
  std::vector<KnownDevice> book;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    auto devices = parse_devices({format("{}MiB", i)}).value();
    book = identify(devices, "n1", book, rng);
  }
  CHECK(book.size() == 1 + kRememberedDevices);
}

TEST_CASE("a damaged book is named with its line", "[node]") {
  Node node;
  const auto good = node.start({"64MiB:1"});
  REQUIRE(node.files.write_text("/state/devices", format("{} cpu0 67108864 8\nnonsense\n", good[0].id), FileMode::shared));
  auto devices = parse_devices({"64MiB:1"}).value();
  const auto refused = identify(devices, "n1", node.files, "/state/devices", node.rng);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error() == Error{Errc::corrupt, "/state/devices:2: 1 words instead of 4"});
}

TEST_CASE("a node that names no device offers its machine, the same at each start", "[node]") {
  Node node;
  const auto device = node.start({});
  REQUIRE(device.size() == 1);
  CHECK(device[0].slowdown == 0);
  CHECK(device[0].memory > 64_MiB);
  CHECK(node.start({}) == device);
}

TEST_CASE("a text that is no device is refused with an example", "[node]") {
  for (const auto* text : {"", "fast", "64MiB:", "64MiB:-1", "-1MiB", "64MiB:1:2"}) {
    const auto refused = parse_devices({text});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().what.find("is not MEMORY or MEMORY:SPEED, as in 512MiB:2") != std::string::npos);
  }
}

}  // namespace frenzy::tools
