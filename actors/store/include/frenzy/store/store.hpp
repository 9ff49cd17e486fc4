#pragma once
// Store: what the coordinator remembers, in one SQLite file in its state directory.
//
// Opening it locks the directory, then raises the incarnation durably, before anything else: two
// coordinators never share a directory, and no two starts share a number. State changes, saves and
// submissions are on disk when the call returns; step rows are kept back and written in batches, always
// before the next state change, so a crash loses at most the last rows.
// Blocks on the disk: never call it from CAF's pool or a progress thread. Thread: one at a time.

#include <memory>
#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/codec/job.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::store {

inline constexpr std::size_t kStepBatch = 64;  ///< rows kept back at most

/// A job as it was last recorded. `detail.history` is complete.
struct StoredJob {
  codec::SubmitJob submission;
  model::JobDetail detail;
};

struct StoredSave {
  Step step{};
  std::vector<model::SavedPiece> pieces{};
};

class Store {
 public:
  /// Makes the directory if it is missing. Errors: conflict if another process holds it; corrupt if
  /// the file is damaged; unsupported if a newer version wrote it; io. Each names the path.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& directory);
  virtual ~Store() = default;

  /// Of this start. Grows with each.
  [[nodiscard]] virtual Incarnation incarnation() const = 0;

  /// The same id and text again changes nothing and answers false; another text is a conflict.
  [[nodiscard]] virtual Result<bool> add_job(const codec::SubmitJob& submission, const model::JobDetail& detail) = 0;
  /// The job as it is now (its history is taken from `change`), durably.
  [[nodiscard]] virtual Status record_state(const model::JobDetail& detail, const model::StateChange& change) = 0;
  /// Kept back, see kStepBatch.
  [[nodiscard]] virtual Status record_step(JobId job, const model::StepRow& row) = 0;
  /// Writes what is kept back.
  [[nodiscard]] virtual Status flush() = 0;
  /// A complete save; durable. Older saves of the job than the newest `keep` are forgotten: answers the
  /// pieces that no save names any more. Reads the saves of all jobs if one is forgotten.
  [[nodiscard]] virtual Result<std::vector<model::SavedPiece>> record_save(JobId job, const StoredSave& save,
                                                                           std::uint32_t keep) = 0;
  /// Those of `pieces` that no save of any job names. Reads all saves.
  [[nodiscard]] virtual Result<std::vector<ContentDigest>> unnamed(const std::vector<ContentDigest>& pieces) = 0;

  /// In order of submission.
  [[nodiscard]] virtual Result<std::vector<StoredJob>> jobs() = 0;
  [[nodiscard]] virtual Result<StoredJob> job(JobId id) = 0;
  /// At most `limit` rows with step >= from, ascending. Includes rows kept back.
  [[nodiscard]] virtual Result<std::vector<model::StepRow>> steps(JobId job, Step from, std::size_t limit) = 0;
  /// not_found if nothing was saved.
  [[nodiscard]] virtual Result<StoredSave> newest_save(JobId job) = 0;

  /// The last that is known of a node.
  [[nodiscard]] virtual Status record_node(const model::NodeStatus& node) = 0;
  [[nodiscard]] virtual Result<std::vector<model::NodeStatus>> nodes() = 0;
};

}  // namespace frenzy::store
