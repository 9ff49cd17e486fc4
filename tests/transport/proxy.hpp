#pragma once
// A man in the middle: relays between a caller and `target`, and on demand spoils the next bytes
// that the caller sends.
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "frenzy/transport/socket_address.hpp"
#include "frenzy/transport/unique_fd.hpp"

namespace frenzy::transport::test {

enum class Mischief : unsigned char { none, flip, oversize, repeat };

class Proxy {
 public:
  explicit Proxy(const std::string& target) : target_(target) {
    auto any = parse_numeric(target).value();
    listener_.reset(::socket(any.family(), SOCK_STREAM, 0));
    const auto port_zero = target.substr(0, target.rfind(':')) + ":0";
    any = parse_numeric(port_zero).value();
    ::bind(listener_.get(), any.get(), any.length);
    ::listen(listener_.get(), 1);
    thread_ = std::thread([this] { relay(); });
  }
  ~Proxy() {
    stop_ = true;
    thread_.join();
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  [[nodiscard]] std::string address() const { return local_address_of(listener_.get()); }
  void arm(Mischief mischief) { mischief_ = mischief; }

 private:
  void relay() {
    pollfd wait{listener_.get(), POLLIN, 0};
    while (!stop_ && ::poll(&wait, 1, 20) <= 0) {
    }
    if (stop_) return;
    const UniqueFd caller(::accept(listener_.get(), nullptr, nullptr));
    const auto to = parse_numeric(target_).value();
    const UniqueFd server(::socket(to.family(), SOCK_STREAM, 0));
    ::connect(server.get(), to.get(), to.length);
    std::array<pollfd, 2> both{{{caller.get(), POLLIN, 0}, {server.get(), POLLIN, 0}}};
    while (!stop_) {
      if (::poll(both.data(), both.size(), 20) <= 0) continue;
      if (both[0].revents != 0 && !pass(caller.get(), server.get(), true)) return;
      if (both[1].revents != 0 && !pass(server.get(), caller.get(), false)) return;
    }
  }
  bool pass(int from, int to, bool upward) {
    std::vector<char> bytes(65536);
    const auto got = ::recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    bytes.resize(static_cast<std::size_t>(got));
    // Small frames are heartbeats and credits; the message is what is to be spoilt.
    const auto mischief = upward && bytes.size() > 90 ? mischief_.exchange(Mischief::none) : Mischief::none;
    if (mischief == Mischief::flip) bytes[bytes.size() - 1] = static_cast<char>(bytes.back() ^ 1);
    if (mischief == Mischief::oversize) {
      const std::uint32_t huge = 0x7fffffff;
      std::memcpy(bytes.data() + 4, &huge, sizeof(huge));
    }
    if (mischief == Mischief::repeat) {
      const auto once = bytes;
      bytes.insert(bytes.end(), once.begin(), once.end());
    }
    return ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0;
  }

  std::string target_;
  UniqueFd listener_;
  std::atomic<bool> stop_{false};
  std::atomic<Mischief> mischief_{Mischief::none};
  std::thread thread_;
};

}  // namespace frenzy::transport::test
