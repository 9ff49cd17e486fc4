#include "frenzy/base/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "frenzy/base/byte_io.hpp"

namespace frenzy {
namespace {

Error system_error(const std::string& path, std::string_view verb) {
  const int number = errno;
  const auto code = number == ENOENT ? Errc::not_found : Errc::io;
  return error(code, "{}: cannot {}: {}", path, verb, std::strerror(number));
}

std::string parent_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

class RealReadable final : public ReadableFile {
 public:
  RealReadable(std::string path, int fd, Bytes size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  [[nodiscard]] Bytes size() const override { return size_; }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      const auto got = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error(path_, "read");
      if (got == 0) {
        return error(Errc::io, "{}: {} bytes at {} are past the end ({})", path_, out.size(),
                     offset, size_.value);
      }
      offset += static_cast<std::uint64_t>(got);
      out = out.subspan(static_cast<std::size_t>(got));
    }
    return {};
  }

 private:
  std::string path_;
  Descriptor fd_;
  Bytes size_;
};

class RealWritable final : public WritableFile {
 public:
  RealWritable(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  ~RealWritable() override {
    if (!committed_) ::unlink(temporary_.c_str());
  }
  RealWritable(const RealWritable&) = delete;
  RealWritable& operator=(const RealWritable&) = delete;
  RealWritable(RealWritable&&) = delete;
  RealWritable& operator=(RealWritable&&) = delete;

  [[nodiscard]] Status append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto put = ::write(fd_.get(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return system_error(path_, "write");
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
  }
  [[nodiscard]] Status commit() override {
    if (::fsync(fd_.get()) != 0) return system_error(path_, "sync");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error(path_, "rename to");
    committed_ = true;
    const Descriptor parent(::open(parent_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent.valid() || ::fsync(parent.get()) != 0) return system_error(path_, "sync parent of");
    return {};
  }

 private:
  std::string path_;
  std::string temporary_;
  Descriptor fd_;
  bool committed_ = false;
};

}  // namespace

Result<std::string> Files::read_text(const std::string& path, Bytes limit) {
  auto file = open(path);
  if (!file) return file.error();
  const auto size = (*file)->size();
  if (size > limit) {
    return error(Errc::invalid_argument, "{}: {} is more than the limit of {}", path, size, limit);
  }
  std::string text(size.value, '\0');
  const auto read = (*file)->read(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  if (!read) return read.error();
  return text;
}

Status Files::write_text(const std::string& path, std::string_view text, FileMode mode) {
  auto file = create(path, mode);
  if (!file) return file.error();
  const auto appended = (*file)->append(bytes_of(text));
  if (!appended) return appended;
  return (*file)->commit();
}

Result<std::unique_ptr<ReadableFile>> RealFiles::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path, "open");
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return error(Errc::invalid_argument, "{}: not a regular file", path);
  }
  return std::unique_ptr<ReadableFile>(
      std::make_unique<RealReadable>(path, fd, Bytes{static_cast<std::uint64_t>(info.st_size)}));
}

Result<std::unique_ptr<WritableFile>> RealFiles::create(const std::string& path, FileMode mode) {
  static std::atomic<std::uint64_t> serial{0};
  auto temporary = format("{}.tmp.{}.{}", path, ::getpid(), serial.fetch_add(1));
  const mode_t bits = mode == FileMode::secret ? 0600 : 0644;
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, bits);
  if (fd < 0) return system_error(path, "create");
  return std::unique_ptr<WritableFile>(
      std::make_unique<RealWritable>(path, std::move(temporary), fd));
}

Result<std::vector<std::string>> RealFiles::list(const std::string& directory) {
  std::error_code failure;
  std::vector<std::string> out;
  std::filesystem::directory_iterator at(directory, failure);
  for (; !failure && at != std::filesystem::directory_iterator(); at.increment(failure)) {
    out.push_back(at->path().filename().string());
  }
  if (failure) {
    const auto code = failure == std::errc::no_such_file_or_directory ? Errc::not_found : Errc::io;
    return error(code, "{}: cannot list: {}", directory, failure.message());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Status RealFiles::make_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) return error(Errc::io, "{}: cannot make directory: {}", path, failure.message());
  return {};
}

Status RealFiles::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_error(path, "remove");
  return {};
}

bool RealFiles::exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace frenzy
