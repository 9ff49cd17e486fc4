#pragma once
// Files of a job as chunks by digest, and sending the ones that the coordinator lacks.

#include "connection.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::tools {

/// Reads the file once. Errors name the path; an empty file is invalid_argument.
[[nodiscard]] Result<model::DataManifest> manifest_of(Files& files, const ContentHashing& hashing, const std::string& path);

/// Offers all chunks, sends what is missing.
[[nodiscard]] Status send_missing(Connection& connection, Files& files, const model::DataManifest& manifest);

}  // namespace frenzy::tools
