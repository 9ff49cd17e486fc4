#pragma once
// Fields of the control and calibration families.

#include "archive.hpp"

namespace frenzy::codec {

template <class A>
void describe(A& a, typename A::template Of<model::DeviceSpec>& v) {
  a("id", v.id);
  a("name", v.name);
  a("kind", v.kind);
  a("memoryBytes", v.memory);
  a("freeBytes", v.free);
  a.range("slowdown", v.slowdown, 0.0, 1e9);
  a.range("threads", v.threads, 1U, 4096U);
}

template <class A>
void describe(A& a, typename A::template Of<model::NodeSpec>& v) {
  a("id", v.id);
  a("name", v.name);
  a("address", v.address);
  a("devices", v.devices, kMaxDevices);
}

template <class A>
void describe(A& a, typename A::template Of<Holding>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("device", v.device);
  a("bytes", v.bytes);
  a("firm", v.firm);
  a("step", v.step);
}

template <class A>
void describe(A& a, typename A::template Of<Hello>& v) {
  a("role", v.role);
  a("version", v.version);
  a("node", v.node);
  a("holdings", v.holdings, kMaxList);
}

template <class A>
void describe(A& a, typename A::template Of<Welcome>& v) {
  a("incarnation", v.incarnation);
  a("version", v.version);
  a("heartbeatMilliseconds", v.heartbeat);
}

template <class A>
void describe(A& a, typename A::template Of<RunnerPulse>& v) {
  a("job", v.job);
  a("epoch", v.epoch);
  a("step", v.step);
  a("instruction", v.instruction);
  a("ageSeconds", v.age);
}

template <class A>
void describe(A& a, typename A::template Of<DeviceFree>& v) {
  a("device", v.device);
  a("freeBytes", v.free);
}

template <class A>
void describe(A& a, typename A::template Of<Heartbeat>& v) {
  a("sequence", v.sequence);
  a("runners", v.runners, kMaxList);
  a("devices", v.devices, kMaxDevices);
}

template <class A>
void describe(A& a, typename A::template Of<Goodbye>& v) {
  a("reason", v.reason, kMaxSentence);
}

template <class A>
void describe(A&, typename A::template Of<Accepted>&) {}

template <class A>
void describe(A& a, typename A::template Of<Refused>& v) {
  a("code", v.why.code);
  a("what", v.why.what, kMaxSentence);
}

template <class A>
void describe(A&, typename A::template Of<ListNodes>&) {}

template <class A>
void describe(A& a, typename A::template Of<model::NodeStatus>& v) {
  a("node", v.node);
  a("state", v.state);
  a("sinceUnixNanoseconds", v.since);
  a("reason", v.reason, kMaxSentence);
  a("matrixFlopsPerSecond", v.rates, kMaxDevices);
  a("heldBytes", v.held, kMaxDevices);
  a("jobs", v.jobs, kMaxList);
  a("identity", v.identity);
}

template <class A>
void describe(A& a, typename A::template Of<NodeList>& v) {
  a("nodes", v.nodes, kMaxList);
}

template <class A>
void describe(A& a, typename A::template Of<RemoveNode>& v) {
  a("node", v.node);
}

template <class A>
void describe(A& a, typename A::template Of<Calibrate>& v) {
  a("devices", v.devices, kMaxDevices);
}

template <class A>
void describe(A& a, typename A::template Of<DeviceCalibration>& v) {
  a("device", v.device);
  a("matrixFlopsPerSecond", v.cost.matrix_rate);
  a("memoryBytesPerSecond", v.cost.memory_bandwidth);
  a("fixedBytes", v.cost.fixed);
}

template <class A>
void describe(A& a, typename A::template Of<CalibrationReport>& v) {
  a("devices", v.devices, kMaxDevices);
}

}  // namespace frenzy::codec
