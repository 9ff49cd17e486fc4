#include "frenzy/store/store.hpp"

#include <algorithm>
#include <limits>

#include "frenzy/codec/envelope.hpp"
#include "schema.hpp"
#include "sqlite_store.hpp"

namespace frenzy::store {

Result<std::unique_ptr<Store>> Store::open(const std::string& directory) {
  auto lock = DirectoryLock::take(directory);
  if (!lock) return lock.error();
  auto database = Database::open(directory + "/frenzy.db");
  if (!database) return database.error();
  const auto incarnation = prepare(**database);
  if (!incarnation) return incarnation.error();
  return std::unique_ptr<Store>(
      std::make_unique<SqliteStore>(std::move(*lock), std::move(*database), *incarnation));
}

SqliteStore::~SqliteStore() { static_cast<void>(flush().ok()); }

Status SqliteStore::record_step(JobId job, const model::StepRow& row) {
  rows_.emplace_back(job, row);
  return rows_.size() >= kStepBatch ? flush() : Status{};
}

Status SqliteStore::flush() {
  if (rows_.empty()) return {};
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  if (auto done = write_rows(); !done) return done;
  if (auto done = (*transaction)->commit(); !done) return done;
  rows_.clear();
  return {};
}

Status SqliteStore::write_rows() {
  for (const auto& [job, row] : rows_) {
    auto query = database_->query("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    if (!query) return query.error();
    (*query)->bind(job.uuid.bytes).bind(row.step.value).bind(std::int64_t{row.at.time_since_epoch().count()});
    (*query)->bind(row.loss_sum).bind(row.tokens).bind(row.norm).bind(row.learning_rate);
    if (auto done = (*query)->bind(row.duration.count()).run(); !done) return done;
  }
  return {};
}

Result<std::vector<model::StepRow>> SqliteStore::steps(JobId job, Step from, std::size_t limit) {
  if (auto done = flush(); !done) return done.error();
  auto query = database_->query(
      "SELECT step, at, loss_sum, tokens, norm, learning_rate, seconds FROM steps"
      " WHERE job = ? AND step >= ? ORDER BY step LIMIT ?");
  if (!query) return query.error();
  auto& q = **query;
  q.bind(job.uuid.bytes).bind(from.value).bind(std::uint64_t{limit});
  // SQLite keeps a double that is not a number as NULL.
  const auto number = [&](int column) { return q.is_null(column) ? std::numeric_limits<double>::quiet_NaN() : q.real(column); };
  std::vector<model::StepRow> out;
  while (true) {
    const auto row = q.step();
    if (!row) return row.error();
    if (!*row) return out;
    out.push_back({.step = {q.natural(0)},
                   .at = WallTime{std::chrono::nanoseconds{q.integer(1)}},
                   .loss_sum = number(2),
                   .tokens = q.natural(3),
                   .norm = number(4),
                   .learning_rate = q.real(5),
                   .duration = Seconds{q.real(6)}});
  }
}

Status SqliteStore::record_node(const model::NodeStatus& node) {
  const auto blob = to_blob(node);
  if (!blob) return blob.error();
  auto query = database_->query("INSERT OR REPLACE INTO nodes VALUES (?, ?)");
  if (!query) return query.error();
  return (*query)->bind(node.node.id.uuid.bytes).bind(*blob).run();
}

Result<std::vector<model::NodeStatus>> SqliteStore::nodes() {
  auto query = database_->query("SELECT status FROM nodes ORDER BY id");
  if (!query) return query.error();
  std::vector<model::NodeStatus> out;
  while (true) {
    const auto row = (*query)->step();
    if (!row) return row.error();
    if (!*row) return out;
    auto frame = codec::decode((*query)->blob(0));
    if (!frame) return at(database_->path(), frame.error());
    const auto* list = std::get_if<codec::NodeList>(&frame->message);
    if (list == nullptr || list->nodes.empty()) {
      return error(Errc::corrupt, "{}: a node is of another kind", database_->path());
    }
    out.push_back(list->nodes.front());
  }
}

}  // namespace frenzy::store
