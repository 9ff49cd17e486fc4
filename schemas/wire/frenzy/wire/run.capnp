@0x80244bd113347149;
# Running a job's programs.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

using Control = import "control.capnp";
using Plan = import "plan.capnp";

# First message to a runner, from its node: everything it is given.
struct LaunchRunner {
  assign @0 :Plan.AssignPlan;
  node @1 :Control.Node;
  chunksDirectory @2 :Text;
  savesDirectory @3 :Text;
  keyFile @4 :Text;
}
struct StartJob {
  job @0 :Data;
  epoch @1 :UInt64;
  incarnation @2 :UInt64;
}
struct RunnerReady {
  job @0 :Data;
  epoch @1 :UInt64;
  address @2 :Text;
  runner @3 :Data;
}
struct ConnectRunners {
  job @0 :Data;
  epoch @1 :UInt64;
  peers @2 :List(RunnerPeer);
}
struct RunnerPeer {
  node @0 :Data;
  address @1 :Text;
  runner @2 :Data;
  identity @3 :Text;  # public key of its node, hexadecimal
}
struct DeviceStep {
  device @0 :Data;
  computeSeconds @1 :Float64;
  samplesPerSecond @2 :Float64;
  arenaBytes @3 :UInt64;
  lateInstructions @4 :UInt64;
}
# Sums over the whole job, the same bits on every device; the times are the sender's.
struct StepReport {
  job @0 :Data;
  epoch @1 :UInt64;
  step @2 :UInt64;
  lossSum @3 :Float64;
  tokens @4 :UInt64;
  norm @5 :Float64;
  learningRate @6 :Float64;
  stepSeconds @7 :Float64;
  devices @8 :List(DeviceStep);
}
# Start no further step; answered with Held. The save is made at the largest step of all runners.
struct HoldJob {
  job @0 :Data;
  epoch @1 :UInt64;
}
struct Held {
  job @0 :Data;
  epoch @1 :UInt64;
  step @2 :UInt64;
}
struct AbortJob {
  job @0 :Data;
  epoch @1 :UInt64;
  reason @2 :Text;
}
# A runner ended: `error` is absent after the last step of the recipe.
struct RunnerEnded {
  job @0 :Data;
  epoch @1 :UInt64;
  step @2 :UInt64;
  failed @3 :Bool;
  code @4 :Control.ErrorCode;
  what @5 :Text;
}
