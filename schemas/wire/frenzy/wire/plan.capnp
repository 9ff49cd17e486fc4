@0xfb9044993a88d81b;
# Plans, and their placement on devices.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

using State = import "state.capnp";

enum Scalar { unspecified @0; fp32 @1; fp64 @2; bf16 @3; fp16 @4; int32 @5; byte @6; }
enum Family { unspecified @0; gpt2 @1; }
enum Tying { unspecified @0; tied @1; untied @2; }
enum OptimizerKind { unspecified @0; adamw @1; sgd @2; }
enum RateSchedule { unspecified @0; constant @1; cosine @2; linear @3; }
enum Sharding { unspecified @0; replicated @1; optimizer @2; gradients @3; parameters @4; ministage @5; }
enum Recompute { unspecified @0; none @1; selective @2; full @3; }
enum ScheduleKind { unspecified @0; oneForwardOneBackward @1; interleaved @2; breadthFirst @3; listed @4; }

struct Model {
  family @0 :Family;
  layers @1 :UInt32;
  hidden @2 :UInt32;
  heads @3 :UInt32;
  ffn @4 :UInt32;
  positions @5 :UInt32;
  vocabulary @6 :UInt32;
  tying @7 :Tying;
  normEpsilon @8 :Float64;
}

struct Recipe {
  steps @0 :UInt64;
  globalBatch @1 :UInt32;
  sequence @2 :UInt32;
  optimizer @3 :OptimizerKind;
  learningRate @4 :Float64;
  minimumRate @5 :Float64;
  schedule @6 :RateSchedule;
  warmupSteps @7 :UInt64;
  beta1 @8 :Float64;
  beta2 @9 :Float64;
  epsilon @10 :Float64;
  weightDecay @11 :Float64;
  clip @12 :Float64;
  precision @13 :Scalar;
  dropout @14 :Float64;
  seed @15 :UInt64;
}

struct Range {
  begin @0 :UInt64;
  end @1 :UInt64;
}
struct Member {
  device @0 :Data;
  microBatch @1 :UInt32;
  samplesBegin @2 :UInt32;
  samplesEnd @3 :UInt32;
  shards @4 :List(Range);
}
struct Stage {
  blocksBegin @0 :UInt32;
  blocksEnd @1 :UInt32;
  group @2 :List(Member);
  sharding @3 :Sharding;
  ministages @4 :UInt32;
  recompute @5 :List(Recompute);
  offloadParameters @6 :Bool;
  offloadOptimizer @7 :Bool;
  offloadBoundaries @8 :Bool;
}
struct PlanPipeline { stages @0 :List(Stage); }
struct Plan {
  epoch @0 :UInt64;
  model @1 :Model;
  recipe @2 :Recipe;
  pipelines @3 :List(PlanPipeline);
  schedule @4 :ScheduleKind;
  gatherDtype @5 :Scalar;
  reduceDtype @6 :Scalar;
  boundaryDtype @7 :Scalar;
  logitRows @8 :UInt32;
}

# What one device was given and why; one entry of partsBytes for each part of a footprint, in order.
struct DeviceShare {
  device @0 :Data;
  deviceName @1 :Text;
  node @2 :Data;
  nodeName @3 :Text;
  samples @4 :UInt32;
  microBatch @5 :UInt32;
  ownedElements @6 :UInt64;
  why @7 :Text;
  predictedPartsBytes @8 :List(UInt64);
  measuredBytes @9 :UInt64;
  program @10 :Data;
}

struct Reserve {
  job @0 :Data;
  epoch @1 :UInt64;
  incarnation @2 :UInt64;
  device @3 :Data;
  bytes @4 :UInt64;
  timeToLiveMilliseconds @5 :UInt64;
}
struct Reserved {
  job @0 :Data;
  epoch @1 :UInt64;
  device @2 :Data;
  freeBytes @3 :UInt64;
}
struct Release {
  job @0 :Data;
  epoch @1 :UInt64;
}

struct DeviceProgram {
  device @0 :Data;
  node @1 :Data;
  address @2 :Text;
  program @3 :Data;
  arenaBytes @4 :UInt64;
}
struct AssignPlan {
  job @0 :Data;
  epoch @1 :UInt64;
  incarnation @2 :UInt64;
  plan @3 :Plan;
  devices @4 :List(DeviceProgram);
  toml @5 :Text;
  data @6 :List(State.DataManifest);
}
