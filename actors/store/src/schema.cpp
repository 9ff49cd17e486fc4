#include "schema.hpp"

namespace frenzy::store {
namespace {

constexpr const char* kPragmas =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA foreign_keys = ON;";

constexpr const char* kTables =
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "INSERT INTO meta VALUES ('schema', 1), ('incarnation', 0);"
    "CREATE TABLE jobs (number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE,"
    "  submission BLOB NOT NULL, detail BLOB NOT NULL);"
    "CREATE TABLE changes (number INTEGER PRIMARY KEY AUTOINCREMENT, job BLOB NOT NULL REFERENCES jobs(id),"
    "  state INTEGER NOT NULL, since INTEGER NOT NULL, reason TEXT NOT NULL);"
    "CREATE INDEX changes_of_job ON changes(job);"
    "CREATE TABLE steps (job BLOB NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL, loss_sum REAL,"
    "  tokens INTEGER NOT NULL, norm REAL, learning_rate REAL NOT NULL, seconds REAL NOT NULL,"
    "  PRIMARY KEY (job, step)) WITHOUT ROWID;"
    "CREATE TABLE saves (job BLOB NOT NULL, step INTEGER NOT NULL, pieces BLOB NOT NULL,"
    "  PRIMARY KEY (job, step)) WITHOUT ROWID;"
    "CREATE TABLE nodes (id BLOB PRIMARY KEY, status BLOB NOT NULL) WITHOUT ROWID;";

Status check(Database& database) {
  auto query = database.query("PRAGMA quick_check(1)");
  if (!query) return query.error();
  const auto row = (*query)->step();
  if (!row) return row.error();
  const auto answer = *row ? (*query)->text(0) : std::string("no answer");
  if (answer != "ok") return error(Errc::corrupt, "{}: {}", database.path(), answer);
  return {};
}

Result<bool> is_new(Database& database) {
  auto query = database.query("SELECT count(*) FROM sqlite_master");
  if (!query) return query.error();
  const auto row = (*query)->step();
  if (!row) return row.error();
  return (*query)->integer(0) == 0;
}

Result<std::int64_t> meta(Database& database, std::string_view key) {
  auto query = database.query("SELECT value FROM meta WHERE key = ?");
  if (!query) return query.error();
  const auto row = (*query)->bind(key).step();
  if (!row) return row.error();
  if (!*row) return error(Errc::corrupt, "{}: has no {}", database.path(), key);
  return (*query)->integer(0);
}

Result<Incarnation> raise_incarnation(Database& database) {
  const auto last = meta(database, "incarnation");
  if (!last) return last.error();
  auto query = database.query("UPDATE meta SET value = ? WHERE key = 'incarnation'");
  if (!query) return query.error();
  if (auto done = (*query)->bind(*last + 1).run(); !done) return done.error();
  return Incarnation{static_cast<std::uint64_t>(*last + 1)};
}

}  // namespace

Result<Incarnation> prepare(Database& database) {
  if (auto done = database.execute(kPragmas); !done) return done.error();
  if (auto done = check(database); !done) return done.error();
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  const auto fresh = is_new(database);
  if (!fresh) return fresh.error();
  if (*fresh) {
    if (auto made = database.execute(kTables); !made) return made.error();
  }
  const auto version = meta(database, "schema");
  if (!version) return version.error();
  if (*version != kSchemaVersion) {
    return error(Errc::unsupported, "{} was written with schema version {}, this program knows {}",
                 database.path(), *version, kSchemaVersion);
  }
  const auto incarnation = raise_incarnation(database);
  if (!incarnation) return incarnation.error();
  if (auto done = (*transaction)->commit(); !done) return done.error();
  return *incarnation;
}

}  // namespace frenzy::store
