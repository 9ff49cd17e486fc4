#include "tcp_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace frenzy::transport {

namespace {
constexpr std::size_t kPiecesPerWrite = 32;
constexpr int kUnsentInKernel = 256 << 10;  // more would queue in front of control messages
}  // namespace

TcpConnection::TcpConnection(TcpCarrier& carrier, LinkId link, LinkInfo info, UniqueFd socket,
                             bool connecting)
    : carrier_(carrier), link_(link), info_(std::move(info)), socket_(std::move(socket)),
      connecting_(connecting) {
  const int one = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentInKernel,
               sizeof(kUnsentInKernel));
}

TcpConnection::~TcpConnection() {
  if (socket_.valid()) carrier_.loop_.unwatch(socket_.get());
}

Status TcpConnection::watch() {
  const std::uint32_t events = connecting_ ? EPOLLOUT : EPOLLIN;
  return carrier_.loop_.watch(socket_.get(), events, [weak = weak_from_this()](std::uint32_t bits) {
    if (const auto self = weak.lock()) self->ready(bits);
  });
}

void TcpConnection::interest() {
  if (closed()) return;
  carrier_.loop_.change(socket_.get(), blocked_ ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void TcpConnection::ready(std::uint32_t events) {
  if (connecting_) return finish_connect();
  if ((events & EPOLLOUT) != 0) {
    blocked_ = false;
    interest();
    flush();
  }
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && !closed()) read();
}

void TcpConnection::finish_connect() {
  int failed = 0;
  socklen_t size = sizeof(failed);
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
  if (failed != 0) return lost(std::strerror(failed));
  connecting_ = false;
  interest();
  carrier_.events_->link_up(link_, info_);
}

std::size_t TcpConnection::receive(std::span<std::byte> into) {
  const auto got = ::recv(socket_.get(), into.data(), into.size(), 0);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got == 0) lost("the connection was closed by the other side");
  else if (errno != EAGAIN && errno != EINTR) lost(std::strerror(errno));
  return 0;
}

void TcpConnection::read() {
  const auto self = shared_from_this();
  std::size_t budget = kBytesPerTurn;
  carrier_.events_->alive(link_);
  while (!closed() && budget > 0) {
    if (!(framed_ ? read_frames(budget) : read_packets(budget))) return;
  }
}

bool TcpConnection::read_packets(std::size_t& budget) {
  const auto goal = in_packet_ ? std::span(packet_) : std::span<std::byte>(length_);
  const auto got = receive(goal.subspan(packet_got_));
  if (got == 0) return false;
  budget -= std::min(budget, got);
  packet_got_ += got;
  if (packet_got_ < goal.size()) return true;
  packet_got_ = 0;
  if (in_packet_) {
    in_packet_ = false;
    carrier_.events_->packet(link_, std::exchange(packet_, {}));
    return true;
  }
  std::uint32_t length = 0;
  std::memcpy(&length, length_.data(), sizeof(length));
  if (length == 0 || length > kMaxPacket) {
    lost("bytes that are not a Frenzy handshake");
    return false;
  }
  packet_.resize(length);
  in_packet_ = true;
  return true;
}

// True while there may be more to read.
bool TcpConnection::read_frames(std::size_t& budget) {
  if (landing_ && landing_->into.size() - landed_ >= kBuffer / 4 && begin_ == end_) {
    const auto got = receive(landing_->into.subspan(landed_));
    if (got == 0) return false;
    budget -= std::min(budget, got);
    landed_ += got;
    return parse_buffered();
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const auto got = receive(std::span(buffer_).subspan(end_));
  if (got == 0) return false;
  budget -= std::min(budget, got);
  end_ += got;
  return parse_buffered();
}

bool TcpConnection::parse_buffered() {
  while (!closed()) {
    if (!landing_) {
      if (end_ - begin_ < kWireHeader) return true;
      auto landing = carrier_.events_->header(link_, std::span(buffer_).subspan(begin_, kWireHeader));
      if (closed()) return false;
      if (!landing) {
        lost(landing.error().what);
        return false;
      }
      begin_ += kWireHeader;
      landing_ = *landing;
      landed_ = 0;
    }
    const auto count = std::min(landing_->into.size() - landed_, end_ - begin_);
    if (count > 0) std::memcpy(landing_->into.data() + landed_, buffer_.data() + begin_, count);
    begin_ += count;
    landed_ += count;
    if (landed_ < landing_->into.size()) return true;
    const auto token = landing_->token;
    landing_.reset();
    carrier_.events_->arrived(link_, token);
  }
  return false;
}

void TcpConnection::upgrade() {
  framed_ = true;
  buffer_.resize(kBuffer);
}

void TcpConnection::send_packet(std::vector<std::byte> bytes) {
  Out out;
  const auto length = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(out.header.data(), &length, sizeof(length));
  out.header_bytes = sizeof(length);
  out.owned = std::move(bytes);
  out_.push_back(std::move(out));
  schedule_flush();
}

void TcpConnection::send(const OutFrame& frame) {
  Out out;
  out.header = frame.header;
  out.header_bytes = frame.header.size();
  out.payload = frame.payload;
  out.token = frame.token;
  auto place = out_.end();
  if (!out.large()) {
    place = std::ranges::find_if(out_, [](const Out& o) { return o.large() && o.written == 0; });
  }
  out_.insert(place, std::move(out));
  schedule_flush();
}

void TcpConnection::schedule_flush() {
  if (flush_scheduled_ || blocked_ || closed()) return;
  flush_scheduled_ = true;
  carrier_.loop_.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->closed()) return;
    self->flush();
  });
}

long TcpConnection::write_some() {
  std::array<iovec, kPiecesPerWrite> pieces{};
  std::size_t count = 0;
  for (const auto& out : out_) {
    if (count + 2 > pieces.size()) break;
    const auto skip = std::min(out.written, out.header_bytes);
    if (skip < out.header_bytes) {
      pieces[count++] = {const_cast<std::byte*>(out.header.data()) + skip, out.header_bytes - skip};
    }
    const auto body = out.body().subspan(out.written - skip);
    if (!body.empty()) pieces[count++] = {const_cast<std::byte*>(body.data()), body.size()};
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
}

void TcpConnection::flush() {
  const auto self = shared_from_this();
  flush_scheduled_ = true;
  std::size_t budget = kBytesPerTurn;
  while (!out_.empty() && budget > 0 && !closed()) {
    const auto wrote = write_some();
    if (wrote < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return lost(std::strerror(errno));
      blocked_ = true;
      break;
    }
    budget -= std::min(budget, static_cast<std::size_t>(wrote));
    written(static_cast<std::size_t>(wrote));
  }
  flush_scheduled_ = false;
  if (closed()) return;
  if (blocked_) interest();
  else if (!out_.empty()) schedule_flush();
}

void TcpConnection::written(std::size_t count) {
  while (!out_.empty() && !closed()) {
    auto& front = out_.front();
    const auto take = std::min(count, front.total() - front.written);
    front.written += take;
    count -= take;
    if (front.written < front.total()) return;
    const auto token = front.token;
    out_.pop_front();
    if (token != 0) carrier_.events_->sent(link_, token);
    if (count == 0 && (out_.empty() || out_.front().total() > 0)) return;
  }
}

void TcpConnection::close() {
  if (closed()) return;
  if (!framed_ && !connecting_ && !out_.empty()) (void)write_some();
  carrier_.loop_.unwatch(socket_.get());
  ::shutdown(socket_.get(), SHUT_WR);
  socket_.reset();
  out_.clear();
  landing_.reset();
}

int TcpConnection::release() {
  carrier_.loop_.unwatch(socket_.get());
  out_.clear();
  return socket_.release();
}

void TcpConnection::lost(std::string_view why) {
  if (closed()) return;
  const auto self = shared_from_this();
  close();
  carrier_.end(link_, error(Errc::unreachable, "{}: {}", route_of(info_), why));
}

}  // namespace frenzy::transport
