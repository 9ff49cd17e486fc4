#pragma once
// The tables, and how an older file becomes one of this version.

#include "database.hpp"
#include "frenzy/base/ids.hpp"

namespace frenzy::store {

inline constexpr std::int64_t kSchemaVersion = 1;

/// Checks the file, makes or updates the tables, then raises the incarnation; all durable.
[[nodiscard]] Result<Incarnation> prepare(Database& database);

}  // namespace frenzy::store
