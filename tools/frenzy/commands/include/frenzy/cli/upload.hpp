#pragma once
// Files of a job as chunks by digest, and sending the ones that a coordinator lacks.

#include "frenzy/base/digest.hpp"
#include "frenzy/base/files.hpp"
#include "frenzy/cli/coordinator.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::cli {

/// Reads the file once. Errors name the path: not_found, io; invalid_argument if it is empty;
/// unsupported if it has more chunks than a message can name.
[[nodiscard]] Result<model::DataManifest> manifest_of(Files& files, const ContentHashing& hashing, const std::string& path);

using UploadProgress = std::function<void(Bytes sent, Bytes of)>;

/// Offers all chunks and sends what is missing; each chunk once, however often the file repeats it.
/// conflict if the file has changed since its manifest was made.
[[nodiscard]] Status send_missing(Coordinator& coordinator, Files& files, const ContentHashing& hashing,
                                  const model::DataManifest& manifest, const UploadProgress& progress);

}  // namespace frenzy::cli
