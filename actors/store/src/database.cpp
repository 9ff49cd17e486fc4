#include "database.hpp"

namespace frenzy::store {
namespace {

Error sqlite_error(sqlite3* database, int code, const std::string& path) {
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  const char* why = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  return error(damaged ? Errc::corrupt : Errc::io, "{}: {}", path, why);
}

}  // namespace

Query::Query(sqlite3* database, sqlite3_stmt* statement, const std::string& path)
    : database_(database), statement_(statement), path_(path) {}

Query::~Query() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Query::check(int code) {
  if (failed_ == SQLITE_OK) failed_ = code;
}

Error Query::failure() const { return sqlite_error(database_, failed_, path_); }

Query& Query::bind(std::int64_t value) {
  check(sqlite3_bind_int64(statement_, next_++, value));
  return *this;
}

Query& Query::bind(double value) {
  check(sqlite3_bind_double(statement_, next_++, value));
  return *this;
}

Query& Query::bind(std::string_view text) {
  check(sqlite3_bind_text64(statement_, next_++, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Query& Query::bind(std::span<const std::byte> blob) {
  check(sqlite3_bind_blob64(statement_, next_++, blob.data(), blob.size(), SQLITE_TRANSIENT));
  return *this;
}

Result<bool> Query::step() {
  if (failed_ != SQLITE_OK) return failure();
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  check(code & 0xff);
  return failure();
}

Status Query::run() {
  while (true) {
    const auto row = step();
    if (!row) return row.error();
    if (!*row) return {};
  }
}

std::string Query::text(int column) const {
  const auto bytes = blob(column);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> Query::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  std::unique_ptr<Database> out(new Database(raw, path));
  if (code != SQLITE_OK) return sqlite_error(raw, code, path);
  return out;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

Status Database::execute(const char* sql) {
  const int code = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return sqlite_error(database_, code & 0xff, path_);
  return {};
}

Result<std::unique_ptr<Query>> Database::query(const char* sql) {
  auto& statement = statements_[sql];
  if (statement == nullptr) {
    const int code = sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return sqlite_error(database_, code & 0xff, path_);
  }
  return std::make_unique<Query>(database_, statement, path_);
}

Result<std::unique_ptr<Transaction>> Transaction::begin(Database& database) {
  if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun.error();
  return std::make_unique<Transaction>(database);
}

Transaction::~Transaction() {
  if (open_) static_cast<void>(database_.execute("ROLLBACK").ok());
}

Status Transaction::commit() {
  open_ = false;
  return database_.execute("COMMIT");
}

}  // namespace frenzy::store
