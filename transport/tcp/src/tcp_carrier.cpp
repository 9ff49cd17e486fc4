#include "frenzy/transport/tcp_carrier.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "frenzy/base/text.hpp"
#include "frenzy/transport/socket_address.hpp"
#include "tcp_connection.hpp"
#include "tcp_listener.hpp"

namespace frenzy::transport {

TcpCarrier::TcpCarrier(EventLoop& loop, Log& log) : loop_(loop), log_(log) {}

TcpCarrier::~TcpCarrier() { stop(); }

void TcpCarrier::stop() {
  events_ = nullptr;
  alive_ = std::make_shared<int>(0);
  listeners_.clear();
  for (auto& [link, connection] : connections_) {
    if (connection) connection->close();
  }
  connections_.clear();
}

void TcpCarrier::post(std::function<void()> work) {
  loop_.post([alive = std::weak_ptr(alive_), work = std::move(work)] {
    if (!alive.expired()) work();
  });
}

TcpCarrier::ConnectionP TcpCarrier::find(LinkId link) const {
  const auto found = connections_.find(link);
  if (found == connections_.end() || !found->second || found->second->closed()) return nullptr;
  return found->second;
}

LinkInfo TcpCarrier::info_of(LinkId link) const {
  const auto connection = find(link);
  return connection ? connection->info() : LinkInfo{"this process", "a closed link", true};
}

Result<std::string> TcpCarrier::listen(const std::string& address) {
  auto listener = TcpListener::open(address, loop_, log_,
                                    [this](UniqueFd socket) { accepted(std::move(socket)); });
  if (!listener) return listener.error();
  listeners_.push_back(std::move(*listener));
  return listeners_.back()->address();
}

LinkId TcpCarrier::add(UniqueFd socket, LinkInfo info, LinkId link) {
  const bool connecting = info.outgoing;
  auto connection = std::make_shared<TcpConnection>(*this, link, std::move(info), std::move(socket),
                                                    connecting);
  connections_[link] = connection;
  const auto watched = connection->watch();
  if (!watched) {
    connection->close();
    end(link, at(route_of(connection->info()), watched.error()));
  }
  return link;
}

void TcpCarrier::accepted(UniqueFd socket) {
  LinkInfo info{local_address_of(socket.get()), remote_address_of(socket.get()), false};
  const auto link = add(std::move(socket), info, LinkId{next_link_++});
  if (find(link)) events_->link_up(link, info);
}

LinkId TcpCarrier::adopt(UniqueFd socket, std::vector<std::byte> first) {
  const LinkId link{next_link_++};
  const int flags = ::fcntl(socket.get(), F_GETFL);
  ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK);
  LinkInfo info{local_address_of(socket.get()), remote_address_of(socket.get()), false};
  connections_[link] = nullptr;
  // Watched only once its first bytes were heard, so that nothing overtakes them.
  post([this, link, info, first = std::move(first),
        socket = std::make_shared<UniqueFd>(std::move(socket))] {
    add(std::move(*socket), info, link);
    if (!find(link)) return;
    events_->link_up(link, info);
    if (find(link)) events_->packet(link, first);
  });
  return link;
}

LinkId TcpCarrier::connect(const std::string& address) {
  const LinkId link{next_link_++};
  connections_[link] = nullptr;
  const auto numeric = parse_numeric(address);
  if (numeric || numeric.error().code != Errc::not_found) {
    post([this, link, address] { begin_connect(link, address); });
    return link;
  }
  auto found = std::make_shared<Result<SocketAddress>>(numeric);
  loop_.post_blocking([found, address] { *found = resolve(address); },
                      [this, link, found, address, alive = std::weak_ptr(alive_)] {
                        if (alive.expired() || !connections_.contains(link)) return;
                        if (!found->ok()) {
                          return end(link, at(format("this process -> {}", address), found->error()));
                        }
                        begin_connect(link, text_of(found->value()));
                      });
  return link;
}

void TcpCarrier::begin_connect(LinkId link, const std::string& address) {
  if (!connections_.contains(link)) return;
  const auto to = parse_numeric(address);
  if (!to) return end(link, to.error());
  UniqueFd fd(::socket(to->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) {
    return end(link, error(errno == EMFILE ? Errc::exhausted : Errc::io,
                           "this process -> {}: no socket: {}", address, std::strerror(errno)));
  }
  const int rc = ::connect(fd.get(), to->get(), to->length);
  const int why = errno;
  const LinkInfo info{local_address_of(fd.get()), address, true};
  if (rc != 0 && why != EINPROGRESS) {
    return end(link, error(Errc::unreachable, "{}: {}", route_of(info), std::strerror(why)));
  }
  add(std::move(fd), info, link);
}

void TcpCarrier::send_packet(LinkId link, std::vector<std::byte> bytes) {
  if (const auto connection = find(link)) connection->send_packet(std::move(bytes));
}

void TcpCarrier::upgrade(LinkId link, std::span<const std::byte>) {
  const auto connection = find(link);
  if (!connection) return;
  connection->upgrade();
  post([this, link] {
    if (find(link)) events_->framed(link);
  });
}

void TcpCarrier::send(LinkId link, const OutFrame& frame) {
  if (const auto connection = find(link)) connection->send(frame);
}

void TcpCarrier::close(LinkId link) {
  const auto found = connections_.find(link);
  if (found == connections_.end()) return;
  if (found->second && found->second->closed()) return;
  auto route = std::string("this process");
  if (found->second) {
    route = route_of(found->second->info());
    found->second->close();
  }
  end(link, error(Errc::unreachable, "{}: closed here", route));
}

void TcpCarrier::end(LinkId link, Error why) {
  post([this, link, why = std::move(why)] {
    if (connections_.erase(link) > 0) events_->down(link, why);
  });
}

Result<int> TcpCarrier::release(LinkId link) {
  const auto connection = find(link);
  if (!connection || connection->framed()) {
    return error(Errc::unsupported, "this link has no socket to hand over");
  }
  connections_.erase(link);
  return connection->release();
}

}  // namespace frenzy::transport
