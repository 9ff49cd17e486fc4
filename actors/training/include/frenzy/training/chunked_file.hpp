#pragma once
// A data file as its chunks in a content store: read at any place without being put together on disk.

#include "frenzy/content/content_store.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::training {

/// Thread: any. `content` outlives it.
class ChunkedFile final : public ReadableFile {
 public:
  ChunkedFile(content::ContentStore& content, model::DataManifest manifest)
      : content_(content), manifest_(std::move(manifest)) {}
  [[nodiscard]] Bytes size() const override { return manifest_.size; }
  /// corrupt if the manifest has no chunk for a place inside its size.
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  content::ContentStore& content_;
  model::DataManifest manifest_;
};

}  // namespace frenzy::training
