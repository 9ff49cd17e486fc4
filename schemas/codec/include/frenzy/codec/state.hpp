#pragma once
// State and content: saves, checkpoints, chunks by digest.

#include <string>
#include <vector>

#include "frenzy/base/result.hpp"
#include "frenzy/model/job_record.hpp"

namespace frenzy::codec {

/// Steps on to exactly `step`, then saves.
struct SaveState {
  static constexpr const char* kName = "saveState";
  JobId job{};
  Epoch epoch{};
  Step step{};
  friend bool operator==(const SaveState&, const SaveState&) = default;
};

struct StateSaved {
  static constexpr const char* kName = "stateSaved";
  JobId job{};
  Epoch epoch{};
  Step step{};
  std::vector<model::SavedPiece> pieces{};
  friend bool operator==(const StateSaved&, const StateSaved&) = default;
};

struct SaveFailed {
  static constexpr const char* kName = "saveFailed";
  JobId job{};
  Epoch epoch{};
  Step step{};  ///< of the save
  Error why{};
  friend bool operator==(const SaveFailed&, const SaveFailed&) = default;
};

struct GetCheckpoint {
  static constexpr const char* kName = "getCheckpoint";
  std::string job{};
  friend bool operator==(const GetCheckpoint&, const GetCheckpoint&) = default;
};

struct Checkpoint {
  static constexpr const char* kName = "checkpoint";
  JobId job{};
  Step step{};
  std::string toml{};
  std::vector<model::SavedPiece> pieces{};
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// From a client: which of these are missing? From a node: which of these pieces does no save name?
struct OfferChunks {
  static constexpr const char* kName = "offerChunks";
  std::vector<ContentDigest> digests{};
  friend bool operator==(const OfferChunks&, const OfferChunks&) = default;
};

struct MissingChunks {
  static constexpr const char* kName = "missingChunks";
  std::vector<ContentDigest> digests{};
  friend bool operator==(const MissingChunks&, const MissingChunks&) = default;
};

/// To a node: no save names these pieces of the job any more.
struct DropPieces {
  static constexpr const char* kName = "dropPieces";
  JobId job{};
  std::vector<ContentDigest> digests{};
  friend bool operator==(const DropPieces&, const DropPieces&) = default;
};

/// To a node: the job is over; a piece of it that no save names now never will be named.
struct ForgetJob {
  static constexpr const char* kName = "forgetJob";
  JobId job{};
  friend bool operator==(const ForgetJob&, const ForgetJob&) = default;
};

struct PutChunk {
  static constexpr const char* kName = "putChunk";
  ContentDigest digest{};
  std::vector<std::byte> bytes{};
  friend bool operator==(const PutChunk&, const PutChunk&) = default;
};

/// `size` bytes (at most kMaxChunk) from `offset` of a chunk or piece. A nil node is the coordinator.
struct GetChunk {
  static constexpr const char* kName = "getChunk";
  ContentDigest digest{};
  Bytes offset{};
  std::uint32_t size = 0;
  NodeId node{};
  friend bool operator==(const GetChunk&, const GetChunk&) = default;
};

struct Chunk {
  static constexpr const char* kName = "chunk";
  ContentDigest digest{};
  Bytes offset{};
  Bytes total{};
  std::vector<std::byte> bytes{};
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

}  // namespace frenzy::codec
