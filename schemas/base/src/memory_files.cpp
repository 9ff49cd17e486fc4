#include "frenzy/base/memory_files.hpp"

#include <cstring>

namespace frenzy {
namespace {

class MemoryReadable final : public ReadableFile {
 public:
  MemoryReadable(std::string path, MemoryFiles::Content content)
      : path_(std::move(path)), content_(std::move(content)) {}
  [[nodiscard]] Bytes size() const override { return {content_->size()}; }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > content_->size() || out.size() > content_->size() - offset) {
      return error(Errc::io, "{}: {} bytes at {} are past the end ({})", path_, out.size(), offset,
                   content_->size());
    }
    if (!out.empty()) std::memcpy(out.data(), content_->data() + offset, out.size());
    return {};
  }

 private:
  std::string path_;
  MemoryFiles::Content content_;
};

class MemoryWritable final : public WritableFile {
 public:
  MemoryWritable(std::string path, Guarded<MemoryFiles::State>& state)
      : path_(std::move(path)), state_(state) {}
  ~MemoryWritable() override {
    if (!committed_) state_.lock()->used -= Bytes{content_.size()};
  }
  MemoryWritable(const MemoryWritable&) = delete;
  MemoryWritable& operator=(const MemoryWritable&) = delete;
  MemoryWritable(MemoryWritable&&) = delete;
  MemoryWritable& operator=(MemoryWritable&&) = delete;

  [[nodiscard]] Status append(std::span<const std::byte> bytes) override {
    auto state = state_.lock();
    if (state->used + Bytes{bytes.size()} > state->capacity) {
      return error(Errc::io, "{}: no space for {} bytes, {} of {} used", path_, bytes.size(),
                   state->used, state->capacity);
    }
    state->used += Bytes{bytes.size()};
    content_.insert(content_.end(), bytes.begin(), bytes.end());
    return {};
  }
  [[nodiscard]] Status commit() override {
    auto state = state_.lock();
    auto& place = state->files[path_];
    if (place) state->used -= Bytes{place->size()};
    place = std::make_shared<const std::vector<std::byte>>(std::move(content_));
    committed_ = true;
    return {};
  }

 private:
  std::string path_;
  Guarded<MemoryFiles::State>& state_;
  std::vector<std::byte> content_;
  bool committed_ = false;
};

}  // namespace

Result<std::unique_ptr<ReadableFile>> MemoryFiles::open(const std::string& path) {
  auto state = state_.lock();
  const auto found = state->files.find(path);
  if (found == state->files.end()) return error(Errc::not_found, "{}: no such file", path);
  return std::unique_ptr<ReadableFile>(std::make_unique<MemoryReadable>(path, found->second));
}

Result<std::unique_ptr<WritableFile>> MemoryFiles::create(const std::string& path, FileMode) {
  return std::unique_ptr<WritableFile>(std::make_unique<MemoryWritable>(path, state_));
}

Result<std::vector<std::string>> MemoryFiles::list(const std::string& directory) {
  auto state = state_.lock();
  std::vector<std::string> out;
  const auto prefix = directory + "/";
  for (const auto& [path, content] : state->files) {
    if (path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos) {
      out.push_back(path.substr(prefix.size()));
    }
  }
  if (out.empty() && !state->directories.contains(directory)) {
    return error(Errc::not_found, "{}: no such directory", directory);
  }
  return out;
}

Status MemoryFiles::make_directory(const std::string& path) {
  state_.lock()->directories[path] = true;
  return {};
}

Status MemoryFiles::remove(const std::string& path) {
  auto state = state_.lock();
  const auto found = state->files.find(path);
  if (found == state->files.end()) return {};
  state->used -= Bytes{found->second->size()};
  state->files.erase(found);
  return {};
}

bool MemoryFiles::exists(const std::string& path) {
  auto state = state_.lock();
  return state->files.contains(path) || state->directories.contains(path);
}

void MemoryFiles::set_capacity(Bytes capacity) { state_.lock()->capacity = capacity; }

}  // namespace frenzy
