#pragma once
// Structured log lines: one event per line, `key=value` text. error = a human must act; warn =
// handled; info = a job or node changed state; debug = messages. Nothing inside the step loop.

#include <string>
#include <string_view>
#include <vector>

#include "frenzy/base/format.hpp"
#include "frenzy/base/guarded.hpp"

namespace frenzy {

enum class LogLevel : unsigned char { debug, info, warn, error };

[[nodiscard]] std::string_view name_of(LogLevel level);

/// Thread: any.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view event, std::string_view text) = 0;
  [[nodiscard]] virtual bool wants(LogLevel level) const = 0;

  template <class... Args>
  void debug(std::string_view event, FormatPattern<std::type_identity_t<Args>...> pattern,
             const Args&... args) {
    line(LogLevel::debug, event, pattern, args...);
  }
  template <class... Args>
  void info(std::string_view event, FormatPattern<std::type_identity_t<Args>...> pattern,
            const Args&... args) {
    line(LogLevel::info, event, pattern, args...);
  }
  template <class... Args>
  void warn(std::string_view event, FormatPattern<std::type_identity_t<Args>...> pattern,
            const Args&... args) {
    line(LogLevel::warn, event, pattern, args...);
  }
  template <class... Args>
  void error(std::string_view event, FormatPattern<std::type_identity_t<Args>...> pattern,
             const Args&... args) {
    line(LogLevel::error, event, pattern, args...);
  }

 private:
  template <class... Args>
  void line(LogLevel level, std::string_view event,
            FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... args) {
    if (wants(level)) write(level, event, format<Args...>(pattern, args...));
  }
};

/// Drops everything.
class NullLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::string_view) override {}
  [[nodiscard]] bool wants(LogLevel) const override { return false; }
};

/// Keeps lines as "level event text", for tests. Thread: any.
class MemoryLog final : public Log {
 public:
  void write(LogLevel level, std::string_view event, std::string_view text) override;
  [[nodiscard]] bool wants(LogLevel) const override { return true; }
  [[nodiscard]] std::vector<std::string> lines();
  /// Lines that contain `part`.
  [[nodiscard]] std::size_t count(std::string_view part);

 private:
  Guarded<std::vector<std::string>> lines_;
};

}  // namespace frenzy
