#pragma once
// Connection: the CLI's calls of a coordinator, one after the other, on a loop of its own.

#include <functional>
#include <memory>
#include <string>

#include "frenzy/client/client.hpp"
#include "frenzy/tools/network.hpp"

namespace frenzy::tools {

struct ConnectionOptions {
  std::string coordinator;        ///< address; empty: the one started here
  std::string coordinator_state;  ///< where its address and the admin key are
};

/// Thread: one.
class Connection {
 public:
  /// Errors: unreachable, refused, not_found (key file).
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options, const Clock& clock, Log& log);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;

  [[nodiscard]] client::Answer ask(codec::Message message);
  template <class T>
  [[nodiscard]] Result<T> ask_for(codec::Message message) {
    auto answer = ask(std::move(message));
    if (!answer) return answer.error();
    if (auto* got = std::get_if<T>(&*answer)) return std::move(*got);
    return error(Errc::corrupt, "the coordinator answered with {}", std::string_view(codec::name_of(*answer)));
  }
  /// Calls `each` with every update until the last one, an error, or a signal (then cancelled).
  [[nodiscard]] Status watch(const codec::WatchJob& watch, const std::function<void(const codec::JobUpdate&)>& each);

  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  Connection() = default;
  [[nodiscard]] Status start(const std::string& key_file, const Clock& clock, Log& log);

  std::string address_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<transport::Admission> admission_;
  std::unique_ptr<client::Client> client_;
  std::unique_ptr<transport::LoopThread> thread_;
};

}  // namespace frenzy::tools
