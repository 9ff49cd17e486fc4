#include "bench_process.hpp"

#include <algorithm>
#include <chrono>

#include "frenzy/base/check.hpp"

namespace frenzy::bench {

using namespace transport;

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
