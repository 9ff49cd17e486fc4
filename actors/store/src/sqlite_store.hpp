#pragma once

#include <set>
#include <span>

#include "database.hpp"
#include "directory_lock.hpp"
#include "frenzy/store/store.hpp"

namespace frenzy::store {

class SqliteStore final : public Store {
 public:
  SqliteStore(std::unique_ptr<DirectoryLock> lock, std::unique_ptr<Database> database, Incarnation incarnation)
      : lock_(std::move(lock)), database_(std::move(database)), incarnation_(incarnation) {}
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;
  SqliteStore(SqliteStore&&) = delete;
  SqliteStore& operator=(SqliteStore&&) = delete;

  [[nodiscard]] Incarnation incarnation() const override { return incarnation_; }
  [[nodiscard]] Result<bool> add_job(const codec::SubmitJob& submission, const model::JobDetail& detail) override;
  [[nodiscard]] Status record_state(const model::JobDetail& detail, const model::StateChange& change) override;
  [[nodiscard]] Status record_step(JobId job, const model::StepRow& row) override;
  [[nodiscard]] Status flush() override;
  [[nodiscard]] Result<std::vector<model::SavedPiece>> record_save(JobId job, const StoredSave& save,
                                                                   std::uint32_t keep) override;
  [[nodiscard]] Result<std::vector<ContentDigest>> unnamed(const std::vector<ContentDigest>& pieces) override;
  [[nodiscard]] Result<std::vector<StoredJob>> jobs() override;
  [[nodiscard]] Result<StoredJob> job(JobId id) override;
  [[nodiscard]] Result<std::vector<model::StepRow>> steps(JobId job, Step from, std::size_t limit) override;
  [[nodiscard]] Result<StoredSave> newest_save(JobId job) override;
  [[nodiscard]] Status record_node(const model::NodeStatus& node) override;
  [[nodiscard]] Result<std::vector<model::NodeStatus>> nodes() override;

 private:
  [[nodiscard]] Status write_rows();
  [[nodiscard]] Status write_change(JobId job, const model::StateChange& change);
  [[nodiscard]] Status write_detail(const model::JobDetail& detail);
  [[nodiscard]] Result<std::vector<model::StateChange>> changes(JobId job);
  [[nodiscard]] Result<StoredJob> read_job(Query& query);
  /// History, and the newest step: it is recorded more often than the rest.
  [[nodiscard]] Status complete(StoredJob& job);

  [[nodiscard]] Result<StoredSave> read_save(std::span<const std::byte> blob) const;
  /// The pieces of all saves that `saves`, whose one column is a save, gives.
  [[nodiscard]] Result<std::vector<model::SavedPiece>> pieces_of(Query& saves) const;
  /// All but the newest `keep`; the pieces that no save names then.
  [[nodiscard]] Result<std::vector<model::SavedPiece>> forget_saves(JobId job, std::uint64_t keep);
  [[nodiscard]] Result<std::set<ContentDigest>> named_pieces();

  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<Database> database_;
  Incarnation incarnation_;
  std::vector<std::pair<JobId, model::StepRow>> rows_;
};

/// A value as its wire message: what is kept as a blob stays readable by later versions.
[[nodiscard]] Result<std::vector<std::byte>> to_blob(codec::SubmitJob message);
[[nodiscard]] Result<std::vector<std::byte>> to_blob(model::JobDetail detail);
[[nodiscard]] Result<std::vector<std::byte>> to_blob(const StoredSave& save);
[[nodiscard]] Result<std::vector<std::byte>> to_blob(const model::NodeStatus& node);

}  // namespace frenzy::store
