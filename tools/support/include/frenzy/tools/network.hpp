#pragma once
// The loop, carrier, cryptography and session of one process, put together in the order in which they
// must live. Thread: make and destroy on the main thread while the loop does not run.

#include <memory>
#include <string>
#include <vector>

#include "frenzy/base/log.hpp"
#include "frenzy/crypto/keys.hpp"
#include "frenzy/transport/event_loop.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/tcp_carrier.hpp"

namespace frenzy::tools {

/// automatic: shared memory where both ends are on one host, UCX over networks that both declare trusted,
/// else TCP, sealed. tcp: only the last. ucx: never the last.
enum class CarrierChoice : unsigned char { automatic, tcp, ucx };

struct CarrierOptions {
  CarrierChoice choice = CarrierChoice::automatic;
  std::vector<std::string> trusted_networks{};  ///< "10.1.0.0/16"; none: no UCX between hosts
  std::string interface{};                      ///< of UCX's data port; empty: a port on each
  std::string data_ports{};                     ///< "4702-4709"; empty: any
};

struct NetworkOptions {
  transport::Role role = transport::Role::client;
  Uuid uuid{};
  crypto::Keys keys{};
};

class Network {
 public:
  /// Before any thread: what the carrier reads from the environment.
  static void prepare(const CarrierOptions& options);
  [[nodiscard]] static Result<std::unique_ptr<Network>> create(const Clock& clock, Log& log, const CarrierOptions& options);

  /// Once. Admission, events and handover outlive the network.
  [[nodiscard]] Status open(const NetworkOptions& options, transport::Admission& admission,
                            transport::SessionEvents& events, transport::Handover* handover = nullptr);

  [[nodiscard]] transport::EventLoop& loop() { return *loop_; }
  [[nodiscard]] transport::Crypto& crypto() { return *crypto_; }
  [[nodiscard]] transport::SocketCarrier& carrier() { return *carrier_; }
  [[nodiscard]] transport::Session& session() { return *session_; }

 private:
  Network() = default;
  Log* log_ = nullptr;
  std::unique_ptr<transport::EventLoop> loop_;
  std::unique_ptr<transport::Crypto> crypto_;
  std::unique_ptr<transport::SocketCarrier> carrier_;
  std::unique_ptr<transport::Session> session_;
};

/// Networks as --trusted-networks has them. Errors: invalid_argument naming the entry.
[[nodiscard]] Status check_networks(const std::vector<std::string>& networks);

/// "auto", "tcp" or "ucx".
[[nodiscard]] Result<CarrierChoice> parse_carrier(const std::string& text);

}  // namespace frenzy::tools
