@0xc6bfbca2955d49e0;
# Jobs, as a client submits and sees them. A job travels as its canonical TOML text.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

using Control = import "control.capnp";
using Plan = import "plan.capnp";
using State = import "state.capnp";

enum JobState {
  unspecified @0; submitted @1; planned @2; reserved @3; starting @4; running @5; rescaling @6;
  paused @7; held @8; finished @9; failed @10; cancelled @11;
}

struct SubmitJob {
  job @0 :Data;
  toml @1 :Text;
  data @2 :List(State.DataManifest);
}
struct JobAccepted {
  job @0 :Data;
  state @1 :JobState;
}

struct JobSummary {
  id @0 :Data;
  name @1 :Text;
  state @2 :JobState;
  sinceUnixNanoseconds @3 :Int64;
  reason @4 :Text;
  submittedUnixNanoseconds @5 :Int64;
  step @6 :UInt64;
  steps @7 :UInt64;
  savedStep @8 :UInt64;
  loss @9 :Float64;
  tokensPerSecond @10 :Float64;
  failure @11 :Control.ErrorCode;  # unspecified unless failed
  owner @12 :Text;
}
struct StateChange {
  state @0 :JobState;
  sinceUnixNanoseconds @1 :Int64;
  reason @2 :Text;
}
struct JobDetail {
  summary @0 :JobSummary;
  toml @1 :Text;
  epoch @2 :UInt64;
  shares @3 :List(Plan.DeviceShare);
  notes @4 :List(Text);
  predictedStepSeconds @5 :Float64;
  history @6 :List(StateChange);
}

struct ListJobs {}
struct JobList { jobs @0 :List(JobSummary); }
# `job` is an id, the unique beginning of one, or a name.
struct ShowJob { job @0 :Text; }
struct CancelJob { job @0 :Text; }
