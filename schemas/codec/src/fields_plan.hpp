#pragma once
// Fields of the plan family.

#include <algorithm>

#include "archive.hpp"

namespace frenzy::codec {

template <class A>
void describe(A& a, typename A::template Of<model::ModelSpec>& v) {
  a("family", v.family);
  a.range("layers", v.layers, 1U, 4096U);
  a("hidden", v.hidden);
  a("heads", v.heads);
  a("ffn", v.ffn);
  a("positions", v.positions);
  a("vocabulary", v.vocabulary);
  a("tying", v.tying);
  a("normEpsilon", v.norm_epsilon);
}

template <class A>
void describe(A& a, typename A::template Of<model::Recipe>& v) {
  a("steps", v.steps);
  a("globalBatch", v.global_batch);
  a("sequence", v.sequence);
  a("optimizer", v.optimizer);
  a("learningRate", v.learning_rate);
  a("minimumRate", v.minimum_rate);
  a("schedule", v.schedule);
  a("warmupSteps", v.warmup);
  a("beta1", v.beta1);
  a("beta2", v.beta2);
  a("epsilon", v.epsilon);
  a("weightDecay", v.weight_decay);
  a("clip", v.clip);
  a("precision", v.precision);
  a("dropout", v.dropout);
  a("seed", v.seed);
}

template <class A>
void describe(A& a, typename A::template Of<model::ElementRange>& v) {
  a("begin", v.begin);
  a("end", v.end);
  a.require(v.begin <= v.end, "end", "lies before begin");
}

template <class A>
void describe(A& a, typename A::template Of<model::Member>& v) {
  a("device", v.device);
  a("microBatch", v.micro_batch);
  a("samplesBegin", v.samples.begin);
  a("samplesEnd", v.samples.end);
  a.require(v.samples.begin <= v.samples.end, "samplesEnd", "lies before samplesBegin");
  a("shards", v.shards, kMaxList + 2);
}

template <class A>
void describe(A& a, typename A::template Of<model::Stage>& v) {
  a("blocksBegin", v.blocks.begin);
  a("blocksEnd", v.blocks.end);
  a.require(v.blocks.begin <= v.blocks.end, "blocksEnd", "lies before blocksBegin");
  a("group", v.group, kMaxDevices);
  a("sharding", v.sharding);
  a("ministages", v.ministages);
  a("recompute", v.recompute, kMaxList);
  a("offloadParameters", v.offload.parameters);
  a("offloadOptimizer", v.offload.optimizer);
  a("offloadBoundaries", v.offload.boundaries);
}

template <class A>
void describe(A& a, typename A::template Of<model::Pipeline>& v) {
  a("stages", v.stages, kMaxDevices);
}

template <class A>
void describe(A& a, typename A::template Of<model::Plan>& v) {
  a("epoch", v.epoch);
  a("model", v.model);
  a("recipe", v.recipe);
  a("pipelines", v.pipelines, kMaxDevices);
  a("schedule", v.schedule);
  a("gatherDtype", v.gather_dtype);
  a("reduceDtype", v.reduce_dtype);
  a("boundaryDtype", v.boundary_dtype);
  a("logitRows", v.logit_rows);
}

/// The parts of a footprint as a list in their order.
template <class A>
void describe_parts(A& a, typename A::template Of<model::Footprint>& v) {
  std::vector<Bytes> parts(v.parts.begin(), v.parts.end());
  a("predictedPartsBytes", parts, model::kParts);
  a.require(parts.size() == model::kParts, "predictedPartsBytes", "has not one entry a part");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(v)>>) {
    if (parts.size() == model::kParts) std::copy(parts.begin(), parts.end(), v.parts.begin());
  }
}

template <class A>
void describe(A& a, typename A::template Of<model::DeviceShare>& v) {
  a("device", v.device);
  a("deviceName", v.device_name);
  a("node", v.node);
  a("nodeName", v.node_name);
  a("samples", v.samples);
  a("microBatch", v.micro_batch);
  a("ownedElements", v.owned_elements);
  a("why", v.why, kMaxSentence);
  describe_parts(a, v.predicted);
  a("measuredBytes", v.measured);
  a("program", v.program);
}

template <class A>
void describe(A& a, typename A::template Of<Reserve>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("incarnation", v.incarnation);
  a("device", v.device);
  a("bytes", v.bytes);
  a("timeToLiveMilliseconds", v.time_to_live);
}

template <class A>
void describe(A& a, typename A::template Of<Reserved>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("device", v.device);
  a("freeBytes", v.free);
}

template <class A>
void describe(A& a, typename A::template Of<Release>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
}

template <class A>
void describe(A& a, typename A::template Of<DeviceProgram>& v) {
  a("device", v.device);
  a("node", v.node);
  a("address", v.address);
  a("program", v.program);
  a("arenaBytes", v.arena);
}

template <class A>
void describe(A& a, typename A::template Of<AssignPlan>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("incarnation", v.incarnation);
  a("plan", v.plan);
  a("devices", v.devices, kMaxDevices);
  a("toml", v.toml, kMaxToml);
  a("data", v.data, kMaxName);
}

}  // namespace frenzy::codec
