#pragma once
// Fields of the job and telemetry families.

#include "archive.hpp"

namespace frenzy::codec {

template <class A>
void describe(A& a, typename A::template Of<model::DataManifest>& v) {
  a("path", v.path, kMaxSentence);
  a("digest", v.digest);
  a("sizeBytes", v.size);
  a("chunkBytes", v.chunk_bytes);
  a("chunks", v.chunks, kMaxChunks);
}

template <class A>
void describe(A& a, typename A::template Of<SubmitJob>& v) {
  a("job", v.job);
  a("toml", v.toml, kMaxToml);
  a("data", v.data, kMaxName);
}

template <class A>
void describe(A& a, typename A::template Of<JobAccepted>& v) {
  a("job", v.job);
  a("state", v.state);
}

template <class A>
void describe(A&, typename A::template Of<ListJobs>&) {}

template <class A>
void describe(A& a, typename A::template Of<model::JobSummary>& v) {
  a("id", v.id);
  a("name", v.name);
  a("state", v.state);
  a("sinceUnixNanoseconds", v.since);
  a("reason", v.reason, kMaxSentence);
  a("submittedUnixNanoseconds", v.submitted);
  a("step", v.step);
  a("steps", v.steps);
  a("savedStep", v.saved);
  a.any("loss", v.loss);
  a("tokensPerSecond", v.tokens_per_second);
  a.optional("failure", v.failure);
  a("owner", v.owner);
}

template <class A>
void describe(A& a, typename A::template Of<model::StateChange>& v) {
  a("state", v.state);
  a("sinceUnixNanoseconds", v.since);
  a("reason", v.reason, kMaxSentence);
}

template <class A>
void describe(A& a, typename A::template Of<model::JobDetail>& v) {
  a("summary", v.summary);
  a("toml", v.toml, kMaxToml);
  a("epoch", v.epoch);
  a("shares", v.shares, kMaxDevices);
  a("notes", v.notes, kMaxName);
  a("predictedStepSeconds", v.predicted_step);
  a("history", v.history, kMaxList);
}

template <class A>
void describe(A& a, typename A::template Of<JobDetail>& v) {
  describe(a, v.job);
}

template <class A>
void describe(A& a, typename A::template Of<JobList>& v) {
  a("jobs", v.jobs, kMaxList);
}

template <class A>
void describe(A& a, typename A::template Of<ShowJob>& v) {
  a("job", v.job);
}

template <class A>
void describe(A& a, typename A::template Of<CancelJob>& v) {
  a("job", v.job);
}

template <class A>
void describe(A& a, typename A::template Of<model::StepRow>& v) {
  a("step", v.step);
  a("atUnixNanoseconds", v.at);
  a.any("lossSum", v.loss_sum);
  a("tokens", v.tokens);
  a.any("norm", v.norm);
  a("learningRate", v.learning_rate);
  a("stepSeconds", v.duration);
}

template <class A>
void describe(A& a, typename A::template Of<WatchJob>& v) {
  a("job", v.job);
  a("fromStep", v.from);
  a("follow", v.follow);
}

template <class A>
void describe(A& a, typename A::template Of<JobUpdate>& v) {
  a("summary", v.summary);
  a("changes", v.changes, kMaxList);
  a("rows", v.rows, kMaxList);
  a("last", v.last);
}

}  // namespace frenzy::codec
