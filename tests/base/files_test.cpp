#include "frenzy/base/files.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "frenzy/base/byte_io.hpp"
#include "frenzy/base/memory_files.hpp"

using namespace frenzy;

namespace {

struct Disk {
  Disk() {
    std::string pattern = (std::filesystem::temp_directory_path() / "frenzy-files-XXXXXX").string();
    directory = ::mkdtemp(pattern.data());
  }
  ~Disk() { std::filesystem::remove_all(directory); }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  Disk(Disk&&) = delete;
  Disk& operator=(Disk&&) = delete;
  std::string directory;
};

/// One contract for both doors.
void check_contract(Files& files, const std::string& directory) {
  REQUIRE(files.make_directory(directory).ok());
  const auto path = directory + "/a";
  CHECK(files.open(path).error().code == Errc::not_found);
  CHECK(files.list(directory + "/none").error().code == Errc::not_found);
  {
    auto half = *files.create(path, FileMode::shared);
    REQUIRE(half->append(bytes_of("lost")).ok());
  }
  CHECK_FALSE(files.exists(path));
  CHECK(files.list(directory).value().empty());
  REQUIRE(files.write_text(path, "first", FileMode::shared).ok());
  REQUIRE(files.write_text(path, "second", FileMode::secret).ok());
  CHECK(*files.read_text(path, 100_B) == "second");
  CHECK(files.read_text(path, 3_B).error().code == Errc::invalid_argument);
  CHECK(files.list(directory).value() == std::vector<std::string>{"a"});
  auto file = *files.open(path);
  std::vector<std::byte> part(3);
  REQUIRE(file->read(3, part).ok());
  CHECK(text_of(part) == "ond");
  CHECK(file->read(4, part).error().code == Errc::io);
  REQUIRE(files.remove(path).ok());
  CHECK(files.remove(path).ok());
  CHECK_FALSE(files.exists(path));
}

}  // namespace

TEST_CASE("files on disk and in memory keep one contract", "[base]") {
  Disk disk;
  RealFiles real;
  check_contract(real, disk.directory + "/deep/er");
  MemoryFiles memory;
  check_contract(memory, "deep/er");
}

TEST_CASE("a secret file is readable by its owner alone", "[base]") {
  Disk disk;
  RealFiles files;
  const auto path = disk.directory + "/key";
  REQUIRE(files.write_text(path, "x", FileMode::secret).ok());
  const auto mode = std::filesystem::status(path).permissions();
  CHECK((mode & std::filesystem::perms::mask) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("a full disk refuses a write and keeps what was there", "[base]") {
  MemoryFiles files;
  REQUIRE(files.write_text("a", "12345678", FileMode::shared).ok());
  files.set_capacity(10_B);
  CHECK(files.write_text("b", "12345678", FileMode::shared).error().code == Errc::io);
  CHECK_FALSE(files.exists("b"));
  CHECK(*files.read_text("a", 100_B) == "12345678");
  CHECK(files.write_text("c", "12", FileMode::shared).ok());
}
