// Data by digest: chunks of a job come from the coordinator into the node's cache before its runner
// starts; pieces of saves are read from here on request.
#include <set>

#include "node_actor.hpp"

namespace frenzy::actors {

namespace {
constexpr std::size_t kFetchWindow = 4;  ///< chunks asked for at once
constexpr auto kFetchTimeout = std::chrono::seconds{20};
}  // namespace

void NodeActor::fetch_data(const Key& key) {
  using Missing = Result<std::vector<ContentDigest>>;
  work<Missing>(
      storage_,
      [content = parts_.content, data = jobs_.at(key).task.assign.data]() -> Missing {
        std::set<ContentDigest> missing;
        for (const auto& file : data) {
          for (const auto& digest : file.chunks) {
            if (!content->has(digest)) missing.insert(digest);
          }
        }
        return std::vector<ContentDigest>(missing.begin(), missing.end());
      },
      [this, key](const Missing& missing) {
        const auto found = jobs_.find(key);
        if (found == jobs_.end()) return;
        if (!missing) return fail_part(key, missing.error());
        found->second.missing.assign(missing->begin(), missing->end());
        fetch_more(key);
      });
}

void NodeActor::fetch_more(const Key& key) {
  auto& part = jobs_.at(key);
  if (!coordinator_) return;
  while (part.fetching < kFetchWindow && !part.missing.empty()) {
    const codec::GetChunk get{.digest = part.missing.front(), .size = static_cast<std::uint32_t>(codec::kMaxChunk)};
    part.missing.pop_front();
    ++part.fetching;
    ask<Answer>(parts_.gateway, Ask{*coordinator_, get, kFetchTimeout},
                [this, key, get](const Answer& answer) { fetched(key, get, expect<codec::Chunk>(answer)); });
  }
  if (part.fetching == 0) start_runner(key);
}

void NodeActor::fetched(const Key& key, const codec::GetChunk& asked, const Result<codec::Chunk>& chunk) {
  if (!jobs_.contains(key)) return;
  if (!chunk) return fail_part(key, at("data of the job", chunk.error()));
  work<Status>(storage_, [content = parts_.content, digest = asked.digest, bytes = chunk->bytes] { return content->put(digest, bytes); },
               [this, key](const Status& status) {
                 const auto found = jobs_.find(key);
                 if (found == jobs_.end()) return;
                 if (!status) return fail_part(key, status.error());
                 --found->second.fetching;
                 fetch_more(key);
               });
}

void NodeActor::on(const Incoming& m, const codec::GetChunk& request) {
  using Got = Result<content::Slice>;
  work<Got>(storage_, [saves = parts_.saves, request] { return saves->read(request.digest, request.offset, request.size); },
            [this, m, request](const Got& slice) {
              if (!slice) return refuse(m, slice.error());
              reply(m, codec::Chunk{request.digest, request.offset, slice->total, slice->bytes});
            });
}

}  // namespace frenzy::actors
