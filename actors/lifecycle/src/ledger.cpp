#include "frenzy/lifecycle/ledger.hpp"

namespace frenzy::lifecycle {

Bytes Ledger::held() const {
  Bytes sum;
  for (const auto& [job, entry] : entries_) sum += entry.bytes;
  return sum;
}

std::vector<LedgerEntry> Ledger::entries() const {
  std::vector<LedgerEntry> out;
  for (const auto& [job, entry] : entries_) out.push_back(entry);
  return out;
}

Result<Bytes> Ledger::reserve(JobId job, Epoch epoch, Bytes bytes, TimePoint now,
                              std::chrono::nanoseconds time_to_live) {
  expire(now);
  Bytes replaced;
  if (const auto found = entries_.find(job); found != entries_.end()) {
    auto& entry = found->second;
    if (epoch < entry.epoch) {
      return error(Errc::conflict, "{} holds epoch {} of job {}; epoch {} is older", name_,
                   entry.epoch, job, epoch);
    }
    if (epoch == entry.epoch) {
      if (bytes != entry.bytes) {
        return error(Errc::conflict, "{} holds {} for epoch {} of job {}, asked now for {}", name_,
                     entry.bytes, epoch, job, bytes);
      }
      entry.expires = now + time_to_live;
      return free();
    }
    replaced = entry.bytes;
  }
  const auto available = free() + replaced;
  if (bytes > available) {
    return error(Errc::does_not_fit, "{} has {} of {} free, job {} needs {}", name_, available,
                 capacity_, job, bytes);
  }
  entries_[job] = {.job = job, .epoch = epoch, .bytes = bytes, .firm = false, .expires = now + time_to_live};
  return free();
}

Status Ledger::make_firm(JobId job, Epoch epoch, TimePoint now) {
  expire(now);
  const auto found = entries_.find(job);
  if (found == entries_.end() || found->second.epoch != epoch) {
    return error(Errc::not_found, "{} holds no reservation of epoch {} of job {}: it was released or its time has passed",
                 name_, epoch, job);
  }
  found->second.firm = true;
  return {};
}

void Ledger::release(JobId job, Epoch epoch) {
  const auto found = entries_.find(job);
  if (found != entries_.end() && found->second.epoch <= epoch) entries_.erase(found);
}

std::vector<LedgerEntry> Ledger::expire(TimePoint now) {
  std::vector<LedgerEntry> gone;
  std::erase_if(entries_, [&](const auto& item) {
    const auto& entry = item.second;
    if (entry.firm || entry.expires > now) return false;
    gone.push_back(entry);
    return true;
  });
  return gone;
}

}  // namespace frenzy::lifecycle
