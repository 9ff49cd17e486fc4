#include "refusal_log.hpp"

#include "frenzy/transport/carrier.hpp"

namespace frenzy::transport {

void RefusalLog::refused(const std::string& remote, const Error& why) {
  const auto now = clock_.now();
  // Many hosts share one entry once the table is full: still bounded, still one line per interval.
  auto host = host_of(remote);
  if (!hosts_.contains(host) && hosts_.size() >= kMaxHosts) host = "others";
  const auto [entry, fresh] = hosts_.try_emplace(host);
  if (!fresh && now - entry->second.said < kQuiet) {
    ++entry->second.kept_quiet;
    return;
  }
  log_.warn("session.refused", "host={} why='{}' unlogged={}", host, why, entry->second.kept_quiet);
  entry->second = {now, 0};
}

}  // namespace frenzy::transport
