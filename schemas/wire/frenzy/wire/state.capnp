@0xabd116c7b49ea4e0;
# State and content: saves by block, field and range; chunks by digest.

using Control = import "control.capnp";
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

# A file of the submitter, cut into chunks that are named by their digests.
struct DataManifest {
  path @0 :Text;
  digest @1 :Data;
  sizeBytes @2 :UInt64;
  chunkBytes @3 :UInt32;
  chunks @4 :List(Data);
}

enum Field { unspecified @0; weights @1; moment1 @2; moment2 @3; }

struct SaveState {
  job @0 :Data;
  epoch @1 :UInt64;
  step @2 :UInt64;
}
struct Piece {
  block @0 :UInt32;
  field @1 :Field;
  elementsBegin @2 :UInt64;
  elementsEnd @3 :UInt64;
  digest @4 :Data;
  sizeBytes @5 :UInt64;
  node @6 :Data;
}
struct StateSaved {
  job @0 :Data;
  epoch @1 :UInt64;
  step @2 :UInt64;
  pieces @3 :List(Piece);
}
struct SaveFailed {
  job @0 :Data;
  epoch @1 :UInt64;
  code @2 :Control.ErrorCode;
  what @3 :Text;
  step @4 :UInt64;  # of the save
}
# To a node: no save names these pieces of the job any more.
struct DropPieces {
  job @0 :Data;
  digests @1 :List(Data);
}
# To a node: the job is over; a piece of it that no save names now never will be named.
struct ForgetJob { job @0 :Data; }
struct GetCheckpoint { job @0 :Text; }
struct Checkpoint {
  job @0 :Data;
  step @1 :UInt64;
  toml @2 :Text;
  pieces @3 :List(Piece);
}

struct OfferChunks { digests @0 :List(Data); }
struct MissingChunks { digests @0 :List(Data); }
struct PutChunk {
  digest @0 :Data;
  bytes @1 :Data;
}
# `sizeBytes` from `offsetBytes` of a chunk or piece; `node` is all zero for what the coordinator holds.
struct GetChunk {
  digest @0 :Data;
  offsetBytes @1 :UInt64;
  sizeBytes @2 :UInt32;
  node @3 :Data;
}
struct Chunk {
  digest @0 :Data;
  offsetBytes @1 :UInt64;
  totalBytes @2 :UInt64;
  bytes @3 :Data;
}
