#include "frenzy/child_runner/framed_pipe.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace frenzy::child_runner {

FramedPipe::FramedPipe(transport::EventLoop& loop, transport::UniqueFd socket, OnMessage message, OnClosed closed)
    : loop_(loop), socket_(std::move(socket)), message_(std::move(message)), closed_(std::move(closed)) {
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  const auto watched = loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t events) { ready(events); });
  if (!watched) {
    loop_.post([this, alive = std::weak_ptr(alive_), why = watched.error()] {
      if (!alive.expired()) close(why);
    });
  }
}

FramedPipe::~FramedPipe() {
  if (socket_.valid()) loop_.unwatch(socket_.get());
}

Status FramedPipe::send(const codec::Message& message) {
  if (!socket_.valid()) return error(Errc::unreachable, "the other end is closed");
  const auto frame = codec::encode({.message = message});
  if (!frame) return frame.error();
  const auto size = static_cast<std::uint32_t>(frame->size());
  std::vector<std::byte> bytes(sizeof(size) + size);
  std::memcpy(bytes.data(), &size, sizeof(size));
  std::memcpy(bytes.data() + sizeof(size), frame->data(), size);
  out_.push_back(std::move(bytes));
  if (out_.size() == 1) write();
  return {};
}

void FramedPipe::ready(std::uint32_t events) {
  const auto alive = std::weak_ptr(alive_);
  if ((events & EPOLLOUT) != 0) write();
  if (alive.expired() || !socket_.valid()) return;
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read();
}

void FramedPipe::write() {
  while (!out_.empty()) {
    const auto& front = out_.front();
    const auto got = ::send(socket_.get(), front.data() + sent_, front.size() - sent_, MSG_NOSIGNAL);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return loop_.change(socket_.get(), EPOLLIN | EPOLLOUT);
    }
    if (got < 0) return;  // the reading side sees the end and its reason
    sent_ += static_cast<std::size_t>(got);
    if (sent_ < front.size()) continue;
    out_.pop_front();
    sent_ = 0;
  }
  loop_.change(socket_.get(), EPOLLIN);
}

void FramedPipe::read() {
  constexpr std::size_t kPart = 64U << 10;
  const auto old = in_.size();
  in_.resize(old + kPart);
  const auto got = ::recv(socket_.get(), in_.data() + old, kPart, 0);
  in_.resize(old + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got > 0) return take_frames();
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  close(got == 0 ? error(Errc::unreachable, "the other end was closed")
                 : error(Errc::unreachable, "reading failed: {}", std::strerror(errno)));
}

void FramedPipe::take_frames() {
  const auto alive = std::weak_ptr(alive_);
  std::size_t at = 0;
  while (in_.size() - at >= sizeof(std::uint32_t)) {
    std::uint32_t size = 0;
    std::memcpy(&size, in_.data() + at, sizeof(size));
    if (size > codec::kMaxFrame) return close(error(Errc::corrupt, "a frame of {} bytes", size));
    if (in_.size() - at - sizeof(size) < size) break;
    auto envelope = codec::decode(std::span(in_).subspan(at + sizeof(size), size));
    at += sizeof(size) + size;
    if (!envelope) return close(envelope.error());
    message_(std::move(envelope->message));
    if (alive.expired()) return;
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(at));
}

void FramedPipe::close(const Error& why) {
  if (!socket_.valid()) return;
  loop_.unwatch(socket_.get());
  socket_.reset();
  const auto closed = std::move(closed_);
  if (closed) closed(why);
}

}  // namespace frenzy::child_runner
