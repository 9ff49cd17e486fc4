#pragma once
// Log lines of the programs, through spdlog: time stamp, level, event, key=value text.

#include <memory>
#include <string>

#include "frenzy/base/log.hpp"
#include "frenzy/base/result.hpp"

namespace frenzy::logging {

struct LogOptions {
  LogLevel level = LogLevel::info;
  std::string file{};            ///< empty: standard error
  std::size_t file_limit = 16U << 20;  ///< bytes after which the file is rotated
  std::size_t files_kept = 3;
};

/// Errors: io if the file cannot be opened.
[[nodiscard]] Result<std::unique_ptr<Log>> open_log(const LogOptions& options);

}  // namespace frenzy::logging
