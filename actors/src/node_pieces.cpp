// Pieces of saves: which are kept. The coordinator says at once which it has forgotten (DropPieces). What
// no save ever named, left by runners that were killed, by saves that not every node completed or by messages
// that were lost, goes when no runner is here that could be writing: the node asks which no save names.
#include <algorithm>

#include "node_actor.hpp"

namespace frenzy::actors {

namespace {
/// A piece that was told of this lately may belong to a save that is still being recorded.
constexpr auto kRecording = std::chrono::minutes{10};
constexpr auto kOfferTimeout = std::chrono::seconds{20};
}  // namespace

void NodeActor::saved(const Key& key, const codec::StateSaved& saved) {
  for (const auto& piece : saved.pieces) {
    told_[piece.digest] = {key.job, env().now()};
    jobs_.at(key).saved.insert(piece.digest);
  }
}

void NodeActor::on(const Incoming& m, const codec::DropPieces& request) {
  auto pieces = request.digests;
  // Another job may have saved the same bytes meanwhile; then they are its own.
  std::erase_if(pieces, [&](const auto& digest) {
    return std::ranges::any_of(jobs_, [&](const auto& item) { return item.first.job != request.job && item.second.saved.contains(digest); });
  });
  remove_pieces(std::move(pieces));
  reply(m, codec::Accepted{});
}

void NodeActor::on(const Incoming& m, const codec::ForgetJob& request) {
  reply(m, codec::Accepted{});
  std::erase_if(told_, [&](const auto& item) { return item.second.job == request.job; });
  sweep();
}

void NodeActor::remove_pieces(std::vector<ContentDigest> pieces) {
  if (pieces.empty()) return;
  for (const auto& digest : pieces) told_.erase(digest);
  log().debug("pieces.removed", "pieces={}", pieces.size());
  work<Status>(
      storage_,
      [saves = parts_.saves, pieces = std::move(pieces)]() -> Status {
        for (const auto& digest : pieces) {
          if (auto removed = saves->remove(digest); !removed) return removed;
        }
        return {};
      },
      [this](const Status& status) {
        if (!status) log().error("pieces.remove", "{}", status.error());
      });
}

void NodeActor::sweep() {
  if (!welcomed_ || !jobs_.empty() || sweeping_) return;
  sweeping_ = true;
  using Pieces = Result<std::vector<ContentDigest>>;
  work<Pieces>(
      storage_,
      [saves = parts_.saves]() -> Pieces {
        if (const auto removed = saves->remove_unfinished(); !removed) return removed.error();
        return saves->list();
      },
      [this](const Pieces& pieces) {
        sweeping_ = false;
        if (!pieces) return log().error("pieces.list", "{}", pieces.error());
        offer(*pieces);
      });
}

void NodeActor::offer(std::vector<ContentDigest> pieces) {
  const auto now = env().now();
  std::erase_if(told_, [&](const auto& item) { return now - item.second.at > kRecording; });
  std::erase_if(pieces, [&](const auto& digest) { return told_.contains(digest); });
  for (std::size_t at = 0; at < pieces.size() && coordinator_; at += codec::kMaxChunks) {
    const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    const auto size = static_cast<std::ptrdiff_t>(std::min(codec::kMaxChunks, pieces.size() - at));
    ask<Answer>(parts_.gateway, Ask{*coordinator_, codec::OfferChunks{{begin, begin + size}}, kOfferTimeout}, [this](const Answer& answer) {
      const auto unnamed = expect<codec::MissingChunks>(answer);
      if (!unnamed) return log().debug("pieces.offer", "{}", unnamed.error());
      if (jobs_.empty()) remove_pieces(unnamed->digests);  // else at the next sweep
    });
  }
}

}  // namespace frenzy::actors
