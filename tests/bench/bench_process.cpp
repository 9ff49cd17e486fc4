#include "bench_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "frenzy/base/check.hpp"

namespace frenzy::bench {

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

void Mailbox::peer_up(const PeerInfo& info) {
  auto state = state_.lock();
  state->peer = info.peer;
  state->up = true;
  changed_.notify_all();
}

void Mailbox::peer_down(PeerId, const Error&) {
  state_.lock()->down = true;
  changed_.notify_all();
}

void Mailbox::message(PeerId, std::span<const std::byte> bytes) {
  state_.lock()->messages.push_back(bytes.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes[0]));
  changed_.notify_all();
}

PeerId Mailbox::wait_peer() {
  auto state = state_.lock();
  state.wait(changed_, [](const State& s) { return s.up; });
  return state->peer;
}

std::uint8_t Mailbox::wait() {
  auto state = state_.lock();
  state.wait(changed_, [](const State& s) { return s.down || !s.messages.empty(); });
  FRENZY_CHECK(!state->messages.empty());
  const auto first = state->messages.front();
  state->messages.pop_front();
  return first;
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

double median(std::vector<double> values) {
  FRENZY_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace frenzy::bench
