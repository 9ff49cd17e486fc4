// Chunks and pieces by digest: what clients send, what nodes and clients fetch.
#include "coordinator_actor.hpp"
#include "frenzy/lifecycle/permissions.hpp"

namespace frenzy::actors {

namespace {
constexpr auto kNodeRead = std::chrono::seconds{10};
}  // namespace

void CoordinatorActor::on(const Incoming& m, const codec::OfferChunks& request) {
  if (const auto allowed = lifecycle::may(m.user, UserRole::user, "send data"); !allowed) return refuse(m, allowed.error());
  using Missing = Result<codec::MissingChunks>;
  work<Missing>(
      storage_,
      [content = parts_.content, request]() -> Missing {
        codec::MissingChunks missing;
        for (const auto& digest : request.digests) {
          if (!content->has(digest)) missing.digests.push_back(digest);
        }
        return missing;
      },
      [this, m](const Missing& missing) { answer(m, missing); });
}

void CoordinatorActor::on(const Incoming& m, const codec::PutChunk& request) {
  if (const auto allowed = lifecycle::may(m.user, UserRole::user, "send data"); !allowed) return refuse(m, allowed.error());
  work<Status>(storage_, [content = parts_.content, request] { return content->put(request.digest, request.bytes); },
               [this, m](const Status& status) {
                 if (!status) return refuse(m, status.error());
                 reply(m, codec::Accepted{});
               });
}

void CoordinatorActor::on(const Incoming& m, const codec::GetChunk& request) {
  const bool by_node = m.peer.role == transport::Role::node;
  if (const auto allowed = lifecycle::may(m.user, UserRole::user, "fetch data"); !by_node && !allowed) return refuse(m, allowed.error());
  if (!request.node.uuid.is_nil()) {
    return ask<Answer>(self(), ToNode{request.node, request, kNodeRead},
                       [this, m](const Answer& got) { answer(m, expect<codec::Chunk>(got)); });
  }
  using Got = Result<content::Slice>;
  work<Got>(storage_, [content = parts_.content, request] { return content->read(request.digest, request.offset, request.size); },
            [this, m, request](const Got& slice) {
              if (!slice) return refuse(m, slice.error());
              reply(m, codec::Chunk{request.digest, request.offset, slice->total, slice->bytes});
            });
}

void CoordinatorActor::unnamed_pieces(const Incoming& m, const codec::OfferChunks& pieces) {
  using Unnamed = Result<codec::MissingChunks>;
  work<Unnamed>(
      storage_,
      [store = parts_.store, digests = pieces.digests]() -> Unnamed {
        auto unnamed = store->unnamed(digests);
        if (!unnamed) return unnamed.error();
        return codec::MissingChunks{std::move(*unnamed)};
      },
      [this, m](const Unnamed& unnamed) { answer(m, unnamed); });
}

void CoordinatorActor::on(const Incoming& m, const codec::GetCheckpoint& request) {
  const auto job = resolve_own(m, request.job, "fetch");
  if (!job) return refuse(m, job.error());
  using Saved = Result<codec::Checkpoint>;
  work<Saved>(
      storage_,
      [store = parts_.store, id = *job]() -> Saved {
        const auto stored = store->job(id);
        if (!stored) return stored.error();
        auto save = store->newest_save(id);
        if (!save) return save.error();
        return codec::Checkpoint{id, save->step, stored->submission.toml, std::move(save->pieces)};
      },
      [this, m](const Saved& saved) { answer(m, saved); });
}

}  // namespace frenzy::actors
