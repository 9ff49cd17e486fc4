@0x9ef00eb29dd320d1;
# Membership: who is there, with which devices. UUIDs are 16 bytes, digests 32.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

enum Role { unspecified @0; coordinator @1; node @2; runner @3; client @4; }
enum DeviceKind { unspecified @0; virtualCpu @1; cuda @2; }
enum NodeState { unspecified @0; joining @1; healthy @2; draining @3; lost @4; removed @5; }
enum ErrorCode {
  unspecified @0; invalidArgument @1; notFound @2; doesNotFit @3; unreachable @4; refused @5;
  timedOut @6; corrupt @7; io @8; exhausted @9; cancelled @10; unsupported @11; conflict @12; internal @13;
}

struct Device {
  id @0 :Data;
  name @1 :Text;
  kind @2 :DeviceKind;
  memoryBytes @3 :UInt64;
  freeBytes @4 :UInt64;
  slowdown @5 :Float64;
  threads @6 :UInt32;
}

struct Node {
  id @0 :Data;
  name @1 :Text;
  address @2 :Text;
  devices @3 :List(Device);
}

# What a node holds for a job: told again at every hello, adopted or released by the coordinator.
struct Holding {
  job @0 :Data;
  epoch @1 :UInt64;
  device @2 :Data;
  bytes @3 :UInt64;
  firm @4 :Bool;
  step @5 :UInt64;
}

struct Hello {
  role @0 :Role;
  version @1 :Text;
  node @2 :Node;
  holdings @3 :List(Holding);
}

struct Welcome {
  incarnation @0 :UInt64;
  version @1 :Text;
  heartbeatMilliseconds @2 :UInt64;
}

struct RunnerPulse {
  job @0 :Data;
  epoch @1 :UInt64;
  step @2 :UInt64;
  instruction @3 :UInt32;
  ageSeconds @4 :Float64;
}

struct DeviceFree {
  device @0 :Data;
  freeBytes @1 :UInt64;
}

struct Heartbeat {
  sequence @0 :UInt64;
  runners @1 :List(RunnerPulse);
  devices @2 :List(DeviceFree);
}

struct Goodbye { reason @0 :Text; }

# Answers of every request that has no answer of its own.
struct Accepted {}
struct Refused {
  code @0 :ErrorCode;
  what @1 :Text;
}

struct ListNodes {}
struct NodeStatus {
  node @0 :Node;
  state @1 :NodeState;
  sinceUnixNanoseconds @2 :Int64;
  reason @3 :Text;
  matrixFlopsPerSecond @4 :List(Float64);
  heldBytes @5 :List(UInt64);
  jobs @6 :List(Text);
  identity @7 :Text;  # public key, hexadecimal
}
struct NodeList { nodes @0 :List(NodeStatus); }
# `node` is its name or its UUID.
struct RemoveNode { node @0 :Text; }
