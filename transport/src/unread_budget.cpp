#include "unread_budget.hpp"

#include <algorithm>

#include "frenzy/base/check.hpp"

namespace frenzy::transport {

void UnreadBudget::hold(LinkId link, std::uint64_t bytes, TimePoint now) {
  if (bytes == 0) return;
  held_.try_emplace(link, Held{0, now}).first->second.bytes += bytes;
  total_ += bytes;
}

void UnreadBudget::release(LinkId link, std::uint64_t bytes) {
  const auto found = held_.find(link);
  if (found == held_.end()) return;
  FRENZY_CHECK(bytes <= found->second.bytes);
  total_ -= bytes;
  found->second.bytes -= bytes;
  if (found->second.bytes == 0) held_.erase(found);
}

void UnreadBudget::forget(LinkId link) { release(link, of(link)); }

std::uint64_t UnreadBudget::of(LinkId link) const {
  const auto found = held_.find(link);
  return found == held_.end() ? 0 : found->second.bytes;
}

std::optional<LinkId> UnreadBudget::longest() const {
  const auto first = std::min_element(held_.begin(), held_.end(), [](const auto& a, const auto& b) {
    return a.second.since < b.second.since;
  });
  return first == held_.end() ? std::nullopt : std::optional(first->first);
}

}  // namespace frenzy::transport
