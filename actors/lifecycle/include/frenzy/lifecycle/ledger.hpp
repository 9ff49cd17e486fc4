#pragma once
// Ledger: the bytes of one device that jobs hold. A reservation has a time to live until it is made
// firm by the start of its job; the same (job, epoch) twice is one reservation. A pure value: time is
// passed in. Invariant: the sum of all entries never exceeds the capacity.

#include <map>
#include <vector>

#include "frenzy/base/clock.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/base/result.hpp"
#include "frenzy/base/units.hpp"

namespace frenzy::lifecycle {

struct LedgerEntry {
  JobId job{};
  Epoch epoch{};
  Bytes bytes{};
  bool firm = false;
  TimePoint expires{};  ///< of a reservation that is not firm
  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

class Ledger {
 public:
  /// `name` is for messages; `capacity` is what jobs may hold in all.
  Ledger(std::string name, Bytes capacity) : name_(std::move(name)), capacity_(capacity) {}

  /// Takes bytes until `now + time_to_live`, and answers what is free after it. The same job and epoch
  /// again extends the time (conflict if it asks for another amount); a newer epoch of a job replaces
  /// the older one, an older one is a conflict. Otherwise does_not_fit names both numbers.
  [[nodiscard]] Result<Bytes> reserve(JobId job, Epoch epoch, Bytes bytes, TimePoint now,
                                      std::chrono::nanoseconds time_to_live);
  /// Keeps a reservation for good. not_found if there is none or its time has passed.
  [[nodiscard]] Status make_firm(JobId job, Epoch epoch, TimePoint now);
  /// Gives back what the job holds under `epoch` or an older one; nothing held is fine.
  void release(JobId job, Epoch epoch);
  /// Drops reservations whose time has passed, and says which.
  std::vector<LedgerEntry> expire(TimePoint now);

  [[nodiscard]] Bytes capacity() const { return capacity_; }
  [[nodiscard]] Bytes held() const;
  [[nodiscard]] Bytes free() const { return capacity_ - held(); }
  /// By job.
  [[nodiscard]] std::vector<LedgerEntry> entries() const;

 private:
  std::string name_;
  Bytes capacity_{};
  std::map<JobId, LedgerEntry> entries_;
};

}  // namespace frenzy::lifecycle
