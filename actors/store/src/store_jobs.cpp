#include "frenzy/codec/envelope.hpp"
#include "sqlite_store.hpp"

namespace frenzy::store {

Result<std::vector<std::byte>> to_blob(codec::SubmitJob message) {
  return codec::encode({.message = std::move(message)});
}

Result<std::vector<std::byte>> to_blob(model::JobDetail detail) {
  detail.history.clear();  // rows of their own
  return codec::encode({.message = codec::JobDetail{std::move(detail)}});
}

Result<std::vector<std::byte>> to_blob(const StoredSave& save) {
  return codec::encode({.message = codec::StateSaved{.step = save.step, .pieces = save.pieces}});
}

Result<std::vector<std::byte>> to_blob(const model::NodeStatus& node) {
  return codec::encode({.message = codec::NodeList{{node}}});
}

Result<bool> SqliteStore::add_job(const codec::SubmitJob& submission, const model::JobDetail& detail) {
  const auto request = to_blob(submission);
  if (!request) return request.error();
  auto known = job(submission.job);
  if (known) {
    if (known->submission == submission) return false;
    return error(Errc::conflict, "job {} was submitted before with another text", submission.job);
  }
  if (known.error().code != Errc::not_found) return known.error();
  const auto blob = to_blob(detail);
  if (!blob) return blob.error();
  auto query = database_->query("INSERT INTO jobs (id, submission, detail) VALUES (?, ?, ?)");
  if (!query) return query.error();
  const auto done = (*query)->bind(submission.job.uuid.bytes).bind(*request).bind(*blob).run();
  if (!done) return done.error();
  return true;
}

Status SqliteStore::write_change(JobId job, const model::StateChange& change) {
  auto query = database_->query("INSERT INTO changes (job, state, since, reason) VALUES (?, ?, ?, ?)");
  if (!query) return query.error();
  (*query)->bind(job.uuid.bytes).bind(static_cast<std::int64_t>(change.state));
  (*query)->bind(std::int64_t{change.since.time_since_epoch().count()});
  return (*query)->bind(std::string_view(change.reason)).run();
}

Status SqliteStore::write_detail(const model::JobDetail& detail) {
  const auto blob = to_blob(detail);
  if (!blob) return blob.error();
  auto query = database_->query("UPDATE jobs SET detail = ? WHERE id = ?");
  if (!query) return query.error();
  return (*query)->bind(*blob).bind(detail.summary.id.uuid.bytes).run();
}

Status SqliteStore::record_state(const model::JobDetail& detail, const model::StateChange& change) {
  if (auto done = flush(); !done) return done;
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  if (auto done = write_change(detail.summary.id, change); !done) return done;
  if (auto done = write_detail(detail); !done) return done;
  return (*transaction)->commit();
}

Result<std::vector<model::StateChange>> SqliteStore::changes(JobId job) {
  auto query = database_->query("SELECT state, since, reason FROM changes WHERE job = ? ORDER BY number");
  if (!query) return query.error();
  (*query)->bind(job.uuid.bytes);
  std::vector<model::StateChange> out;
  while (true) {
    const auto row = (*query)->step();
    if (!row) return row.error();
    if (!*row) return out;
    out.push_back({.state = static_cast<model::JobState>((*query)->integer(0)),
                   .since = WallTime{std::chrono::nanoseconds{(*query)->integer(1)}},
                   .reason = (*query)->text(2)});
  }
}

Result<StoredJob> SqliteStore::read_job(Query& query) {
  auto submission = codec::decode(query.blob(0));
  if (!submission) return at(database_->path(), submission.error());
  auto detail = codec::decode(query.blob(1));
  if (!detail) return at(database_->path(), detail.error());
  auto* request = std::get_if<codec::SubmitJob>(&submission->message);
  auto* job = std::get_if<codec::JobDetail>(&detail->message);
  if (request == nullptr || job == nullptr) {
    return error(Errc::corrupt, "{}: a job is of another kind", database_->path());
  }
  return StoredJob{std::move(*request), std::move(job->job)};
}

Status SqliteStore::complete(StoredJob& job) {
  auto history = changes(job.submission.job);
  if (!history) return history.error();
  job.detail.history = std::move(*history);
  if (auto done = flush(); !done) return done;
  auto query = database_->query("SELECT step, loss_sum, tokens FROM steps WHERE job = ? ORDER BY step DESC LIMIT 1");
  if (!query) return query.error();
  const auto row = (*query)->bind(job.submission.job.uuid.bytes).step();
  if (!row) return row.error();
  auto& summary = job.detail.summary;
  if (!*row || (*query)->natural(0) <= summary.step.value) return {};
  summary.step = {(*query)->natural(0)};
  summary.loss = model::StepRow{.loss_sum = (*query)->real(1), .tokens = (*query)->natural(2)}.loss();
  return {};
}

Result<StoredJob> SqliteStore::job(JobId id) {
  auto query = database_->query("SELECT submission, detail FROM jobs WHERE id = ?");
  if (!query) return query.error();
  const auto row = (*query)->bind(id.uuid.bytes).step();
  if (!row) return row.error();
  if (!*row) return error(Errc::not_found, "no job {}", id);
  auto out = read_job(**query);
  if (!out) return out;
  if (auto done = complete(*out); !done) return done.error();
  return out;
}

Result<std::vector<StoredJob>> SqliteStore::jobs() {
  auto query = database_->query("SELECT submission, detail FROM jobs ORDER BY number");
  if (!query) return query.error();
  std::vector<StoredJob> out;
  while (true) {
    const auto row = (*query)->step();
    if (!row) return row.error();
    if (!*row) break;
    auto job = read_job(**query);
    if (!job) return job.error();
    out.push_back(std::move(*job));
  }
  for (auto& job : out) {
    if (auto done = complete(job); !done) return done.error();
  }
  return out;
}

}  // namespace frenzy::store
