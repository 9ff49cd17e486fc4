@0xff255bc2196b68cf;
# What watchers see.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

using Job = import "job.capnp";

struct StepRow {
  step @0 :UInt64;
  atUnixNanoseconds @1 :Int64;
  lossSum @2 :Float64;
  tokens @3 :UInt64;
  norm @4 :Float64;
  learningRate @5 :Float64;
  stepSeconds @6 :Float64;
}
# History from `fromStep` on, then, if `follow`, what happens until the job has ended.
struct WatchJob {
  job @0 :Text;
  fromStep @1 :UInt64;
  follow @2 :Bool;
}
# One part of a watch; `last` is set on the last one.
struct JobUpdate {
  summary @0 :Job.JobSummary;
  changes @1 :List(Job.StateChange);
  rows @2 :List(StepRow);
  last @3 :Bool;
}
