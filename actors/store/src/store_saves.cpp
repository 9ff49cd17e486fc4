// Saves: what each job has saved, and which pieces are still named.
#include <algorithm>
#include <set>

#include "frenzy/codec/envelope.hpp"
#include "sqlite_store.hpp"

namespace frenzy::store {

Result<StoredSave> SqliteStore::read_save(std::span<const std::byte> blob) const {
  auto frame = codec::decode(blob);
  if (!frame) return at(database_->path(), frame.error());
  const auto* saved = std::get_if<codec::StateSaved>(&frame->message);
  if (saved == nullptr) return error(Errc::corrupt, "{}: a save is of another kind", database_->path());
  return StoredSave{saved->step, saved->pieces};
}

Result<std::vector<model::SavedPiece>> SqliteStore::pieces_of(Query& saves) const {
  std::vector<model::SavedPiece> out;
  while (true) {
    const auto row = saves.step();
    if (!row) return row.error();
    if (!*row) return out;
    const auto save = read_save(saves.blob(0));
    if (!save) return save.error();
    out.insert(out.end(), save->pieces.begin(), save->pieces.end());
  }
}

Result<std::vector<model::SavedPiece>> SqliteStore::record_save(JobId job, const StoredSave& save, std::uint32_t keep) {
  const auto blob = to_blob(save);
  if (!blob) return blob.error();
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  auto query = database_->query("INSERT OR REPLACE INTO saves VALUES (?, ?, ?)");
  if (!query) return query.error();
  if (auto done = (*query)->bind(job.uuid.bytes).bind(save.step.value).bind(*blob).run(); !done) return done.error();
  auto dropped = forget_saves(job, std::max(keep, 1U));
  if (!dropped) return dropped;
  if (auto done = (*transaction)->commit(); !done) return done.error();
  return dropped;
}

Result<std::vector<model::SavedPiece>> SqliteStore::forget_saves(JobId job, std::uint64_t keep) {
  auto forget = database_->query(
      "DELETE FROM saves WHERE job = ?1 AND step NOT IN"
      " (SELECT step FROM saves WHERE job = ?1 ORDER BY step DESC LIMIT ?2) RETURNING pieces");
  if (!forget) return forget.error();
  auto pieces = pieces_of((*forget)->bind(job.uuid.bytes).bind(keep));
  if (!pieces || pieces->empty()) return pieces;
  const auto named = named_pieces();
  if (!named) return named.error();
  std::erase_if(*pieces, [&](const auto& piece) { return named->contains(piece.digest); });
  return pieces;
}

Result<std::set<ContentDigest>> SqliteStore::named_pieces() {
  auto query = database_->query("SELECT pieces FROM saves");
  if (!query) return query.error();
  const auto pieces = pieces_of(**query);
  if (!pieces) return pieces.error();
  std::set<ContentDigest> out;
  for (const auto& piece : *pieces) out.insert(piece.digest);
  return out;
}

Result<std::vector<ContentDigest>> SqliteStore::unnamed(const std::vector<ContentDigest>& pieces) {
  const auto named = named_pieces();
  if (!named) return named.error();
  std::vector<ContentDigest> out;
  std::ranges::copy_if(pieces, std::back_inserter(out), [&](const auto& digest) { return !named->contains(digest); });
  return out;
}

Result<StoredSave> SqliteStore::newest_save(JobId job) {
  auto query = database_->query("SELECT pieces FROM saves WHERE job = ? ORDER BY step DESC LIMIT 1");
  if (!query) return query.error();
  const auto row = (*query)->bind(job.uuid.bytes).step();
  if (!row) return row.error();
  if (!*row) return error(Errc::not_found, "job {} has no save", job);
  return read_save((*query)->blob(0));
}

}  // namespace frenzy::store
