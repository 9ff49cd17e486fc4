#include "frenzy/executor/arena.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace frenzy;
using namespace frenzy::executor;

namespace {

/// KiB that /proc/self/smaps names `what` of the mapping around `place`.
long smaps_kib(const void* place, const std::string& what) {
  std::ifstream file("/proc/self/smaps");
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') here = begin <= address && address < end;
    if (here && line.starts_with(what + ":")) return std::stol(line.substr(what.size() + 1));
  }
  return -1;
}

bool huge_pages_offered() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string words;
  std::getline(file, words);
  return words.find("[never]") == std::string::npos && !words.empty();
}

}  // namespace

TEST_CASE("an arena is there before the first step, in huge pages where the system has them", "[executor]") {
  const auto arena = Arena::create(Bytes{64U << 20}, Bytes{64U << 20});
  REQUIRE(arena);
  const auto* middle = (*arena)->bytes().data() + (32U << 20);
  CHECK(smaps_kib(middle, "Rss") >= 64 << 10);
  if (!huge_pages_offered()) {
    WARN("no huge pages on this machine");
    return;
  }
  CHECK(smaps_kib(middle, "AnonHugePages") > 0);
}
