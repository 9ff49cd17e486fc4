#pragma once
// Fields of the run and state families.

#include "archive.hpp"

namespace frenzy::codec {

template <class A>
void describe(A& a, typename A::template Of<LaunchRunner>& v) {
  a("assign", v.assign);
  a("node", v.node);
  a("chunksDirectory", v.chunks_directory, kMaxSentence);
  a("savesDirectory", v.saves_directory, kMaxSentence);
  a("keyFile", v.key_file, kMaxSentence);
}

template <class A>
void describe(A& a, typename A::template Of<StartJob>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("incarnation", v.incarnation);
}

template <class A>
void describe(A& a, typename A::template Of<RunnerReady>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("address", v.address);
  a("runner", v.runner);
}

template <class A>
void describe(A& a, typename A::template Of<RunnerPeer>& v) {
  a("node", v.node);
  a("address", v.address);
  a("runner", v.runner);
  a("identity", v.identity);
}

template <class A>
void describe(A& a, typename A::template Of<ConnectRunners>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("peers", v.peers, kMaxDevices);
}

template <class A>
void describe(A& a, typename A::template Of<DeviceStep>& v) {
  a("device", v.device);
  a("computeSeconds", v.compute);
  a("samplesPerSecond", v.samples_per_second);
  a("arenaBytes", v.arena);
  a("lateInstructions", v.late_instructions);
}

template <class A>
void describe(A& a, typename A::template Of<StepReport>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("step", v.step);
  a.any("lossSum", v.loss_sum);
  a("tokens", v.tokens);
  a.any("norm", v.norm);
  a("learningRate", v.learning_rate);
  a("stepSeconds", v.duration);
  a("devices", v.devices, kMaxDevices);
}

template <class A>
void describe(A& a, typename A::template Of<HoldJob>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
}

template <class A>
void describe(A& a, typename A::template Of<Held>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("step", v.step);
}

template <class A>
void describe(A& a, typename A::template Of<AbortJob>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("reason", v.reason, kMaxSentence);
}

template <class A>
void describe(A& a, typename A::template Of<RunnerEnded>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("step", v.step);
  a("failed", v.failed);
  if (!v.failed) return;  // an enum without a value is refused, and there is no error to tell
  a("code", v.why.code);
  a("what", v.why.what, kMaxSentence);
}

template <class A>
void describe(A& a, typename A::template Of<SaveState>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("step", v.step);
}

template <class A>
void describe(A& a, typename A::template Of<model::SavedPiece>& v) {
  a("block", v.block);
  a("field", v.field);
  a("elementsBegin", v.elements.begin);
  a("elementsEnd", v.elements.end);
  a.require(v.elements.begin <= v.elements.end, "elementsEnd", "lies before elementsBegin");
  a("digest", v.digest);
  a("sizeBytes", v.size);
  a("node", v.node);
}

template <class A>
void describe(A& a, typename A::template Of<StateSaved>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("step", v.step);
  a("pieces", v.pieces, kMaxPieces);
}

template <class A>
void describe(A& a, typename A::template Of<SaveFailed>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("code", v.why.code);
  a("what", v.why.what, kMaxSentence);
  a("step", v.step);
}

template <class A>
void describe(A& a, typename A::template Of<DropPieces>& v) {
  a("job", v.job);
  a("digests", v.digests, kMaxChunks);
}

template <class A>
void describe(A& a, typename A::template Of<ForgetJob>& v) {
  a("job", v.job);
}

template <class A>
void describe(A& a, typename A::template Of<GetCheckpoint>& v) {
  a("job", v.job);
}

template <class A>
void describe(A& a, typename A::template Of<Checkpoint>& v) {
  a("job", v.job);
  a("step", v.step);
  a("toml", v.toml, kMaxToml);
  a("pieces", v.pieces, kMaxPieces);
}

template <class A>
void describe(A& a, typename A::template Of<OfferChunks>& v) {
  a("digests", v.digests, kMaxChunks);
}

template <class A>
void describe(A& a, typename A::template Of<MissingChunks>& v) {
  a("digests", v.digests, kMaxChunks);
}

template <class A>
void describe(A& a, typename A::template Of<PutChunk>& v) {
  a("digest", v.digest);
  a("bytes", v.bytes, kMaxChunk);
}

template <class A>
void describe(A& a, typename A::template Of<GetChunk>& v) {
  a("digest", v.digest);
  a("offsetBytes", v.offset);
  a.range("sizeBytes", v.size, 1U, static_cast<std::uint32_t>(kMaxChunk));
  a("node", v.node);
}

template <class A>
void describe(A& a, typename A::template Of<Chunk>& v) {
  a("digest", v.digest);
  a("offsetBytes", v.offset);
  a("totalBytes", v.total);
  a("bytes", v.bytes, kMaxChunk);
}

}  // namespace frenzy::codec
