#pragma once
// Envelope: any message with its correlation number, to and from Cap'n Proto bytes.
//
// The only door to Cap'n Proto and the only place where its exceptions are caught. Everything read is
// bounded before it allocates: words traversed, nesting, list counts, text lengths, number ranges.
// An unknown message, enum value or protocol version is an error that names both sides.

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "frenzy/codec/messages.hpp"

namespace frenzy::codec {

/// What this side speaks. The previous version is understood too, once there is one.
inline constexpr std::uint16_t kProtocol = 1;
inline constexpr std::uint16_t kOldestProtocol = 1;

inline constexpr std::size_t kMaxName = 256;           ///< names, addresses, versions
inline constexpr std::size_t kMaxSentence = 4096;      ///< reasons
inline constexpr std::size_t kMaxToml = 256U << 10;    ///< a job file
inline constexpr std::size_t kMaxChunk = 512U << 10;   ///< bytes of one chunk
inline constexpr std::size_t kMaxChunks = 16U << 10;   ///< digests in one message
inline constexpr std::size_t kMaxDevices = 1024;       ///< of one node or plan
inline constexpr std::size_t kMaxList = 4096;          ///< jobs, rows, nodes
inline constexpr std::size_t kMaxPieces = 8192;        ///< of one save
inline constexpr std::size_t kMaxFrame = (1U << 20);   ///< bytes of one encoded envelope

using Message =
    std::variant<Hello, Welcome, Heartbeat, Goodbye, Accepted, Refused, ListNodes, NodeList, Calibrate,
                 CalibrationReport, SubmitJob, JobAccepted, ListJobs, JobList, ShowJob, JobDetail,
                 CancelJob, Reserve, Reserved, Release, AssignPlan, StartJob, RunnerReady,
                 ConnectRunners, StepReport, AbortJob, RunnerEnded, SaveState, StateSaved,
                 GetCheckpoint, Checkpoint, OfferChunks, MissingChunks, PutChunk, GetChunk, Chunk,
                 WatchJob, JobUpdate, LaunchRunner, SaveFailed, HoldJob, Held, RemoveNode,
                 DropPieces, ForgetJob>;

struct Envelope {
  std::uint64_t correlation = 0;  ///< 0: nobody waits for an answer
  bool reply = false;
  Message message{};
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// invalid_argument if a value is out of the bounds that decode enforces or the frame exceeds
/// kMaxFrame, naming the field. Thread: any.
[[nodiscard]] Result<std::vector<std::byte>> encode(const Envelope& envelope);

/// corrupt or unsupported, naming the field and the numbers. Never throws, never reads outside
/// `frame`, whose alignment does not matter. Thread: any.
[[nodiscard]] Result<Envelope> decode(std::span<const std::byte> frame);

/// "submitJob": for logs.
[[nodiscard]] const char* name_of(const Message& message);

}  // namespace frenzy::codec
