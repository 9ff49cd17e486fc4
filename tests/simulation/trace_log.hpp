#pragma once
// The log of a whole simulated run, as one hash over every line and when it was written; lines are kept
// on request. Errors are counted: nothing that the simulation does may make one.

#include <string>
#include <vector>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/hash.hpp"
#include "frenzy/base/log.hpp"

namespace frenzy::simulation {

class TraceLog final : public Log {
 public:
  TraceLog(const Clock& clock, bool keeps_lines) : clock_(clock), keeps_lines_(keeps_lines) {}

  void write(LogLevel level, std::string_view event, std::string_view text) override {
    const auto now = static_cast<std::uint64_t>(clock_.now().time_since_epoch().count());
    hash_.add(now);
    hash_.add(event);
    hash_.add(text);
    const auto line = [&] { return format("{} {} {} {}", std::chrono::nanoseconds(now - kStart), name_of(level), event, text); };
    if (level == LogLevel::error) errors_.push_back(line());
    if (keeps_lines_) lines_.push_back(line());
  }
  [[nodiscard]] bool wants(LogLevel) const override { return true; }

  void add(std::string_view what) { hash_.add(what); }
  void add(std::uint64_t what) { hash_.add(what); }
  [[nodiscard]] Fingerprint hash() const { return hash_.finish(); }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  static constexpr std::uint64_t kStart = 3'600'000'000'000;  ///< where virtual time begins

  const Clock& clock_;
  bool keeps_lines_;
  Fingerprinter hash_;
  std::vector<std::string> errors_, lines_;
};

}  // namespace frenzy::simulation
