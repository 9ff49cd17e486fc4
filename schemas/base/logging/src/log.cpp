#include "frenzy/logging/logging.hpp"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace frenzy::logging {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warn: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::off;
}

class SpdlogLog final : public Log {
 public:
  SpdlogLog(spdlog::sink_ptr sink, LogLevel level) : logger_("frenzy", std::move(sink)) {
    logger_.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger_.set_level(spdlog_level(level));
    logger_.flush_on(spdlog::level::info);
  }
  void write(LogLevel level, std::string_view event, std::string_view text) override {
    logger_.log(spdlog_level(level), "{} {}", event, text);
  }
  [[nodiscard]] bool wants(LogLevel level) const override {
    return logger_.should_log(spdlog_level(level));
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

Result<std::unique_ptr<Log>> open_log(const LogOptions& options) {
  try {
    spdlog::sink_ptr sink;
    if (options.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
          options.file, options.file_limit, options.files_kept);
    }
    return std::unique_ptr<Log>(std::make_unique<SpdlogLog>(std::move(sink), options.level));
  } catch (const spdlog::spdlog_ex& failure) {
    return error(Errc::io, "{}: cannot open log: {}", options.file, failure.what());
  }
}

}  // namespace frenzy::logging
