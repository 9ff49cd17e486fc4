#pragma once
// The only door to the disk. Production uses RealFiles, tests MemoryFiles (same contract, with
// faults). Paths are absolute or relative to the process; nothing here expands "~".

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy {

/// A file open for reading at any place. Thread: any.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  [[nodiscard]] virtual Bytes size() const = 0;
  /// Fills `out` from `offset`; io if the file is shorter or the read fails.
  [[nodiscard]] virtual Status read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

/// A file being written. It does not exist under its name until `commit`, which makes it durable
/// (fsync of file and directory); dropped without commit it leaves nothing.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  [[nodiscard]] virtual Status append(std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Status commit() = 0;
};

enum class FileMode : unsigned char { shared, secret };  ///< 0644 or 0600

/// Errors name the path. Thread: any.
class Files {
 public:
  virtual ~Files() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                                                     FileMode mode) = 0;
  /// Names (not paths) in a directory, sorted; not_found if there is none.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  /// Creates missing parents too; an existing directory is fine.
  [[nodiscard]] virtual Status make_directory(const std::string& path) = 0;
  /// Removes a file; one that does not exist is fine.
  [[nodiscard]] virtual Status remove(const std::string& path) = 0;
  [[nodiscard]] virtual bool exists(const std::string& path) = 0;

  /// Whole file, refused above `limit`.
  [[nodiscard]] Result<std::string> read_text(const std::string& path, Bytes limit);
  /// create + append + commit.
  [[nodiscard]] Status write_text(const std::string& path, std::string_view text, FileMode mode);
};

class RealFiles final : public Files {
 public:
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override;
  [[nodiscard]] Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                                             FileMode mode) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& directory) override;
  [[nodiscard]] Status make_directory(const std::string& path) override;
  [[nodiscard]] Status remove(const std::string& path) override;
  [[nodiscard]] bool exists(const std::string& path) override;
};

}  // namespace frenzy
