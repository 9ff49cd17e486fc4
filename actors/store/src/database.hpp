#pragma once
// SQLite behind values and Results; statements are prepared once and kept.

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "frenzy/base/result.hpp"

namespace frenzy::store {

/// One run of a prepared statement. Bind parameters in order, then step. The first failure sticks.
class Query {
 public:
  Query(sqlite3* database, sqlite3_stmt* statement, const std::string& path);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  Query(Query&&) = delete;
  Query& operator=(Query&&) = delete;

  Query& bind(std::int64_t value);
  Query& bind(std::uint64_t value) { return bind(static_cast<std::int64_t>(value)); }
  Query& bind(double value);
  Query& bind(std::string_view text);
  Query& bind(std::span<const std::byte> blob);
  Query& bind(std::span<const std::uint8_t> blob) { return bind(std::as_bytes(blob)); }

  /// True if there is a row.
  [[nodiscard]] Result<bool> step();
  /// Runs to the end.
  [[nodiscard]] Status run();

  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] std::uint64_t natural(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_, column); }
  [[nodiscard]] std::string text(int column) const;
  /// Valid until the next step.
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  void check(int code);
  [[nodiscard]] Error failure() const;

  sqlite3* database_;
  sqlite3_stmt* statement_;
  const std::string& path_;
  int next_ = 1;
  int failed_ = SQLITE_OK;
};

class Database {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database(Database&&) = delete;
  Database& operator=(Database&&) = delete;

  /// Several statements without parameters.
  [[nodiscard]] Status execute(const char* sql);
  /// One statement; `sql` is a literal.
  [[nodiscard]] Result<std::unique_ptr<Query>> query(const char* sql);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Database(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}
  sqlite3* database_;
  std::string path_;
  std::map<std::string_view, sqlite3_stmt*> statements_;
};

/// All or nothing: rolls back unless committed.
class Transaction {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Transaction>> begin(Database& database);
  explicit Transaction(Database& database) : database_(database) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction(Transaction&&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  [[nodiscard]] Status commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace frenzy::store
