#include "frenzy/transport/simulated_network.hpp"

#include <algorithm>
#include <utility>

namespace frenzy::transport {

SimulatedProcess::SimulatedProcess(SimulatedNetwork& network, std::string name, VirtualTasks& world)
    : name_(std::move(name)), tasks_(world), carrier_(network, *this) {}

SimulatedNetwork::SimulatedNetwork(VirtualTasks& world, const SimulatedNetworkOptions& options)
    : world_(world), options_(options), rng_(options.seed) {}

SimulatedNetwork::~SimulatedNetwork() = default;

SimulatedProcess& SimulatedNetwork::add(const std::string& name) {
  FRENZY_CHECK(!by_name_.contains(name) || by_name_[name]->tasks_.killed());
  processes_.push_back(std::make_unique<SimulatedProcess>(*this, name, world_));
  by_name_[name] = processes_.back().get();
  return *processes_.back();
}

SimulatedProcess* SimulatedNetwork::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::chrono::nanoseconds SimulatedNetwork::delay() {
  const auto spread = static_cast<std::uint64_t>((options_.max_delay - options_.min_delay).count());
  auto out = options_.min_delay + std::chrono::nanoseconds(rng_.below(spread + 1));
  if (options_.loss > 0 && rng_.uniform() < options_.loss) out += options_.retransmit_after;
  return out;
}

LinkId SimulatedNetwork::connect(SimulatedProcess& from, const std::string& address) {
  const LinkId link{next_link_++};
  ends_[link].process = &from;
  const auto local = format("{}:{}", from.name(), next_port_++);
  world_.at(world_.clock().now() + delay(), [this, link, address, local, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) arrive(link, address, local);
  });
  return link;
}

void SimulatedNetwork::arrive(LinkId caller, const std::string& address, const std::string& local) {
  const auto end = ends_.find(caller);
  if (end == ends_.end() || !end->second.open || end->second.process->tasks_.killed()) return;
  const auto& from = end->second.process->name();
  const auto name = host_of(address);
  if (cuts_.contains({from, name}) || cuts_.contains({name, from})) return;
  auto* to = find(name);
  if (to == nullptr || to->tasks_.killed() || !to->carrier_.listening_.contains(address)) {
    return hand(caller, [caller, address, local](SimulatedCarrier& carrier) {
      carrier.network_.ends_.erase(caller);
      carrier.events_->down(caller, error(Errc::unreachable, "{} -> {}: connection refused", local,
                                          address));
    });
  }
  const LinkId answerer{next_link_++};
  auto& theirs = ends_[answerer];
  theirs.process = to;
  theirs.other = caller;
  theirs.other_name = from;
  theirs.route = route_of({address, local, false});
  ends_[caller].other = answerer;
  ends_[caller].other_name = name;
  ends_[caller].route = route_of({local, address, true});
  hand(answerer, [answerer, address, local](SimulatedCarrier& carrier) {
    carrier.events_->link_up(answerer, {address, local, false});
  });
  hand(caller, [caller, address, local](SimulatedCarrier& carrier) {
    carrier.events_->link_up(caller, {local, address, true});
  });
}

bool SimulatedNetwork::blocked(LinkId to) const {
  const auto& end = ends_.at(to);
  if (end.process->tasks_.frozen()) return true;
  return cuts_.contains({end.other_name, end.process->name()});
}

void SimulatedNetwork::deliver(LinkId to, Lane lane, std::size_t bytes,
                               std::function<void(SimulatedCarrier&)> run) {
  const auto end = ends_.find(to);
  if (end == ends_.end()) return;
  auto& free = end->second.lane_free[static_cast<std::size_t>(lane)];
  auto due = std::max(world_.clock().now() + delay(), free);
  if (options_.bandwidth.value > 0) {
    due += std::chrono::nanoseconds(
        static_cast<std::int64_t>(1e9 * static_cast<double>(bytes) / options_.bandwidth.value));
  }
  free = due;
  world_.at(due, [this, to, run = std::move(run), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) hand(to, run);
  });
}

void SimulatedNetwork::hand(LinkId to, std::function<void(SimulatedCarrier&)> run) {
  const auto end = ends_.find(to);
  if (end == ends_.end() || end->second.process->tasks_.killed() || !end->second.open) return;
  if (!end->second.held.empty() || blocked(to)) {
    end->second.held.push_back(std::move(run));
    return;
  }
  auto& carrier = end->second.process->carrier_;
  if (carrier.events_ != nullptr) run(carrier);
}

void SimulatedNetwork::close(LinkId link, const Error& why) {
  const auto end = ends_.find(link);
  if (end == ends_.end() || !end->second.open) return;
  end->second.open = false;
  end->second.held.clear();
  auto& carrier = end->second.process->carrier_;
  const auto other = end->second.other;
  carrier.post([this, link, why](CarrierEvents& events) {
    ends_.erase(link);
    events.down(link, why);
  });
  const auto peer = ends_.find(other);
  if (peer == ends_.end() || !peer->second.open) return;
  // The reset comes behind everything that was sent before it.
  auto& lanes = peer->second.lane_free;
  lanes[0] = std::max(lanes[0], lanes[1]);
  deliver(other, Lane::small, 0, [other, why, route = peer->second.route](SimulatedCarrier& receiver) {
    receiver.network_.ends_.erase(other);
    receiver.events_->down(
        other, error(Errc::unreachable, "{}: connection lost: {}", route, why.what));
  });
}

void SimulatedNetwork::cut(const std::string& from, const std::string& to) { cuts_.insert({from, to}); }

void SimulatedNetwork::cut_both(const std::string& a, const std::string& b) {
  cut(a, b);
  cut(b, a);
}

void SimulatedNetwork::heal(const std::string& from, const std::string& to) {
  cuts_.erase({from, to});
  release_held();
}

void SimulatedNetwork::heal_both(const std::string& a, const std::string& b) {
  heal(a, b);
  heal(b, a);
}

void SimulatedNetwork::heal_all() {
  cuts_.clear();
  release_held();
}

void SimulatedNetwork::freeze(const std::string& name) { find(name)->tasks_.freeze(); }

void SimulatedNetwork::thaw(const std::string& name) {
  find(name)->tasks_.thaw();
  release_held();
}

void SimulatedNetwork::thaw_all() {
  for (const auto& [name, process] : by_name_) process->tasks_.thaw();
  release_held();
}

void SimulatedNetwork::release_held() {
  for (auto& [link, end] : ends_) {
    if (end.held.empty() || blocked(link)) continue;
    for (auto& run : std::exchange(end.held, {})) {
      world_.post([this, to = link, run = std::move(run), alive = std::weak_ptr(alive_)] {
        if (!alive.expired()) hand(to, run);
      });
    }
  }
}

void SimulatedNetwork::kill(const std::string& name) {
  auto* process = find(name);
  process->tasks_.kill();
  std::vector<LinkId> mine;
  for (const auto& [link, end] : ends_) {
    if (end.process == process) mine.push_back(link);
  }
  for (const auto link : mine) {
    close(link, error(Errc::unreachable, "{} was killed", name));
    ends_.erase(link);
  }
}

}  // namespace frenzy::transport
