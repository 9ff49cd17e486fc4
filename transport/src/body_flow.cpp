#include "body_flow.hpp"

#include <algorithm>

#include "frenzy/base/text.hpp"

namespace frenzy::transport {

namespace {
std::string text_of(BodyTag tag) { return format("{}:{}", tag.high, tag.low); }
}  // namespace

Result<GrantOutcome> BodyFlow::post_send(BodyTag tag, std::span<const std::byte> body, Done& done) {
  if (outgoing_.contains(tag)) {
    return error(Errc::conflict, "body {} is already being sent", text_of(tag));
  }
  outgoing_.emplace(tag, Outgoing{body, std::move(done)});
  const auto grant = grants_.find(tag);
  if (grant == grants_.end()) return GrantOutcome{};
  const auto total = grant->second;
  grants_.erase(grant);
  return match(tag, total);
}

Result<GrantOutcome> BodyFlow::on_grant(BodyTag tag, std::uint64_t total) {
  const auto found = outgoing_.find(tag);
  if (found != outgoing_.end()) {
    if (found->second.granted) {
      return error(Errc::corrupt, "body {} was granted twice", text_of(tag));
    }
    return match(tag, total);
  }
  if (grants_.size() >= kMaxGrants) {
    return error(Errc::corrupt, "more than {} grants without a body", kMaxGrants);
  }
  if (!grants_.emplace(tag, total).second) {
    return error(Errc::corrupt, "body {} was granted twice", text_of(tag));
  }
  return GrantOutcome{};
}

GrantOutcome BodyFlow::match(BodyTag tag, std::uint64_t granted) {
  const auto found = outgoing_.find(tag);
  auto& out = found->second;
  if (granted == out.body.size()) {
    out.granted = true;
    ready_.push_back(tag);
    return {};
  }
  const auto length = out.body.size();
  GrantOutcome outcome{
      Finished{std::move(out.done),
               error(Errc::invalid_argument, "body {} has {} bytes, the receiver granted {}",
                     text_of(tag), length, granted)},
      length};
  outgoing_.erase(found);
  return outcome;
}

Fragment BodyFlow::next_fragment() {
  const auto tag = ready_.front();
  ready_.pop_front();
  auto& out = outgoing_.at(tag);
  const auto length = std::min<std::uint64_t>(kFragment, out.body.size() - out.cut);
  const Fragment fragment{tag, out.cut, out.body.size(), out.body.subspan(out.cut, length)};
  out.cut += length;
  ++out.in_flight;
  out.all_cut = out.cut == out.body.size();
  if (!out.all_cut) ready_.push_back(tag);
  return fragment;
}

std::optional<Finished> BodyFlow::fragment_sent(BodyTag tag) {
  const auto found = outgoing_.find(tag);
  if (found == outgoing_.end()) return std::nullopt;
  auto& out = found->second;
  --out.in_flight;
  if (!out.all_cut || out.in_flight > 0) return std::nullopt;
  Finished finished{std::move(out.done), {}};
  outgoing_.erase(found);
  return finished;
}

Status BodyFlow::post_receive(BodyTag tag, std::span<std::byte> into, Done& done) {
  if (incoming_.contains(tag)) {
    return error(Errc::conflict, "a buffer for body {} is already granted", text_of(tag));
  }
  const auto fragments = std::max<std::size_t>(1, (into.size() + kFragment - 1) / kFragment);
  incoming_.emplace(tag, Incoming{into, std::move(done), std::vector<bool>(fragments), 0, false});
  return {};
}

Result<std::span<std::byte>> BodyFlow::land(BodyTag tag, std::uint64_t offset, std::uint64_t total,
                                            std::uint32_t length) {
  const auto found = incoming_.find(tag);
  if (found == incoming_.end()) {
    return error(Errc::corrupt, "a fragment of body {}, which was not granted", text_of(tag));
  }
  auto& in = found->second;
  const auto size = in.into.size();
  if (total != size || offset > size || offset % kFragment != 0 ||
      length != std::min<std::uint64_t>(kFragment, size - offset) || (size > 0 && length == 0)) {
    return error(Errc::corrupt, "body {} of {} bytes: fragment of {} at {} (total {}) does not fit",
                 text_of(tag), size, length, offset, total);
  }
  const auto index = static_cast<std::size_t>(offset / kFragment);
  if (in.claimed[index]) {
    return error(Errc::corrupt, "body {}: fragment at {} came twice", text_of(tag), offset);
  }
  in.claimed[index] = true;
  in.touched = true;
  return in.into.subspan(offset, length);
}

std::optional<Finished> BodyFlow::landed(BodyTag tag, std::uint32_t length) {
  const auto found = incoming_.find(tag);
  if (found == incoming_.end()) return std::nullopt;
  auto& in = found->second;
  in.landed += length;
  if (in.landed < in.into.size()) return std::nullopt;
  Finished finished{std::move(in.done), {}};
  incoming_.erase(found);
  return finished;
}

Result<Finished> BodyFlow::on_abandon(BodyTag tag, std::uint64_t total) {
  const auto found = incoming_.find(tag);
  if (found == incoming_.end() || found->second.touched) {
    return error(Errc::corrupt, "body {} was abandoned but is not waiting", text_of(tag));
  }
  Finished finished{std::move(found->second.done),
                    error(Errc::invalid_argument, "body {} has {} bytes, the granted buffer {}",
                          text_of(tag), total, found->second.into.size())};
  incoming_.erase(found);
  return finished;
}

std::vector<Done> BodyFlow::take_all() {
  std::vector<Done> out;
  for (auto& [tag, body] : outgoing_) out.push_back(std::move(body.done));
  for (auto& [tag, body] : incoming_) out.push_back(std::move(body.done));
  outgoing_.clear();
  incoming_.clear();
  grants_.clear();
  ready_.clear();
  return out;
}

}  // namespace frenzy::transport
