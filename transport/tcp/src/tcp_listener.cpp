#include "tcp_listener.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "frenzy/transport/socket_address.hpp"

namespace frenzy::transport {

namespace {
constexpr int kBacklog = 512;
constexpr int kAcceptsPerTurn = 64;
constexpr auto kBackOff = std::chrono::milliseconds{100};
constexpr rlim_t kReserved = 32;  // descriptors left for files, UCX and our own calls

// Descriptors are handed out lowest first, so a high number means that few are left.
bool in_reserve(int fd) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur != RLIM_INFINITY && static_cast<rlim_t>(fd) + kReserved >= limit.rlim_cur;
}
}  // namespace

Result<std::unique_ptr<TcpListener>> TcpListener::open(const std::string& address, EventLoop& loop,
                                                       Log& log, Accepted accepted) {
  const auto where = resolve(address);
  if (!where) return where.error();
  UniqueFd fd(::socket(where->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int one = 1;
  if (fd.valid()) {
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (where->family() == AF_INET6) {
      ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
    }
  }
  if (!fd.valid() || ::bind(fd.get(), where->get(), where->length) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return error(errno == EMFILE ? Errc::exhausted : Errc::io, "cannot listen on {}: {}", address,
                 std::strerror(errno));
  }
  const int raw = fd.get();
  auto out = std::make_unique<TcpListener>(std::move(fd), loop, log, std::move(accepted));
  const auto watched = loop.watch(raw, EPOLLIN, [self = out.get()](std::uint32_t) { self->ready(); });
  if (!watched) return watched.error();
  return out;
}

TcpListener::TcpListener(UniqueFd socket, EventLoop& loop, Log& log, Accepted accepted)
    : socket_(std::move(socket)), loop_(loop), log_(log), accepted_(std::move(accepted)) {}

TcpListener::~TcpListener() {
  loop_.cancel(resume_);
  loop_.unwatch(socket_.get());
}

std::string TcpListener::address() const { return local_address_of(socket_.get()); }

void TcpListener::ready() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    UniqueFd fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd.valid() && in_reserve(fd.get())) return back_off(EMFILE);
    if (fd.valid()) {
      accepted_(std::move(fd));
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) back_off(errno);
    return;
  }
}

void TcpListener::back_off(int why) {
  if (!complained_) {
    log_.warn("tcp.accept_paused", "address={} why='{}'", address(), std::strerror(why));
    complained_ = true;
  }
  loop_.change(socket_.get(), 0);
  resume_ = loop_.at(loop_.clock().now() + kBackOff, [this] {
    resume_ = TimerId::none;
    loop_.change(socket_.get(), EPOLLIN);
  });
}

}  // namespace frenzy::transport
