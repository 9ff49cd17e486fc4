#pragma once
// Coordinator: what verbs ask of one, one call after the other. In production a Connection; in tests a
// simulated cluster or canned answers.

#include <functional>
#include <string>

#include "frenzy/codec/envelope.hpp"

namespace frenzy::cli {

/// What a watcher says to an update: go on, or it has seen what it wanted.
enum class Watching : std::uint8_t { on, enough };

/// Calls block. Errors: what the coordinator refused, unreachable, timed_out; cancelled after Ctrl-C.
class Coordinator {
 public:
  virtual ~Coordinator() = default;
  [[nodiscard]] virtual Result<codec::Message> ask(codec::Message message) = 0;
  /// Calls `each` with every update up to and with the last, or the one that is enough.
  [[nodiscard]] virtual Status watch(const codec::WatchJob& watch, const std::function<Watching(const codec::JobUpdate&)>& each) = 0;
  [[nodiscard]] virtual const std::string& address() const = 0;

  template <class T>
  [[nodiscard]] Result<T> ask_for(codec::Message message) {
    auto answer = ask(std::move(message));
    if (!answer) return answer.error();
    if (auto* got = std::get_if<T>(&*answer)) return std::move(*got);
    return error(Errc::corrupt, "the coordinator answered with {}", std::string_view(codec::name_of(*answer)));
  }
};

/// A watch of state changes only: no row has this step.
inline constexpr Step kNoRows{UINT32_MAX};

}  // namespace frenzy::cli
