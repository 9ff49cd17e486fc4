#pragma once
// The loop, carrier, cryptography and session of one process, put together in the order in which they
// must live. Thread: make and destroy on the main thread while the loop does not run.

#include <memory>
#include <string>

#include "frenzy/base/log.hpp"
#include "frenzy/crypto/keys.hpp"
#include "frenzy/transport/event_loop.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/tcp_carrier.hpp"

namespace frenzy::tools {

/// automatic: shared memory where both ends are on one host, else TCP, sealed.
enum class CarrierChoice : unsigned char { automatic, tcp };

struct NetworkOptions {
  transport::Role role = transport::Role::client;
  Uuid uuid{};
  crypto::Keys keys{};
  CarrierChoice carrier = CarrierChoice::automatic;
};

class Network {
 public:
  /// Before any thread: what the carrier reads from the environment.
  static void prepare(CarrierChoice carrier);
  [[nodiscard]] static Result<std::unique_ptr<Network>> create(const Clock& clock, Log& log, CarrierChoice carrier);

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

/// "tcp" or "auto".
[[nodiscard]] Result<CarrierChoice> parse_carrier(const std::string& text);

}  // namespace frenzy::tools
