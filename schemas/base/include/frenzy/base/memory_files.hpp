#pragma once
// Files in memory, for tests and simulation: same contract as RealFiles, no disk, and writes can be
// made to fail after a number of bytes.

#include <map>

#include "frenzy/base/files.hpp"
#include "frenzy/base/guarded.hpp"

namespace frenzy {

class MemoryFiles final : public Files {
 public:
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override;
  [[nodiscard]] Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                                             FileMode mode) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& directory) override;
  [[nodiscard]] Status make_directory(const std::string& path) override;
  [[nodiscard]] Status remove(const std::string& path) override;
  [[nodiscard]] bool exists(const std::string& path) override;

  /// Appends beyond this total are refused with io, as on a full disk.
  void set_capacity(Bytes capacity);

  using Content = std::shared_ptr<const std::vector<std::byte>>;
  struct State {
    std::map<std::string, Content> files;
    std::map<std::string, bool> directories;
    Bytes used{};
    Bytes capacity{UINT64_MAX};
  };

 private:
  Guarded<State> state_;
};

}  // namespace frenzy
