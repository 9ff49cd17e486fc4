#include "session_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "frenzy/base/check.hpp"

namespace frenzy::tests {

using namespace transport;

Process::Process(const Setup& setup, SessionEvents& events, std::uint8_t number)
    : loop_(EventLoop::create(clock_).value()), crypto_(crypto::make_crypto().value()) {
  if (setup.ucx) {
    carrier_ = make_ucx_carrier(*loop_, log_, {.use = UcxUse::require}).value();
  } else {
    carrier_ = std::make_unique<TcpCarrier>(*loop_, log_);
  }
  SessionOptions options;
  options.role = Role::node;
  options.uuid.bytes[0] = number;
  options.identity = crypto_->key_pair();
  options.body_seal = setup.seal;
  admission_ = std::make_unique<ClusterAdmission>(*crypto_, options.admission_key);
  session_ = make_session(options, {*carrier_, *loop_, *crypto_, log_, *admission_, events}).value();
}

Forked fork_server(const std::function<void(const Listen&)>& child) {
  std::array<int, 2> pipe{};
  FRENZY_CHECK(::pipe(pipe.data()) == 0);
  Forked out;
  out.child = ::fork();
  FRENZY_CHECK(out.child >= 0);
  if (out.child == 0) {
    child([&](const std::string& address) {
      FRENZY_CHECK(::write(pipe[1], address.data(), address.size()) > 0);
    });
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::array<char, 64> address{};
  FRENZY_CHECK(::read(pipe[0], address.data(), address.size() - 1) > 0);
  ::close(pipe[0]);
  out.address = address.data();
  return out;
}

void join_server(const Forked& server) { ::waitpid(server.child, nullptr, 0); }

}  // namespace frenzy::tests
