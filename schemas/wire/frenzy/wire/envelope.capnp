@0x9f3bb8e79b8a4ffa;
# What every message travels in. A reply carries the correlation number of its request.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

using Control = import "control.capnp";
using Calibration = import "calibration.capnp";
using Job = import "job.capnp";
using Plan = import "plan.capnp";
using Run = import "run.capnp";
using State = import "state.capnp";
using Telemetry = import "telemetry.capnp";

struct Envelope {
  protocol @0 :UInt16;
  correlation @1 :UInt64;
  reply @2 :Bool;
  message :union {
    none @3 :Void;
    hello @4 :Control.Hello;
    welcome @5 :Control.Welcome;
    heartbeat @6 :Control.Heartbeat;
    goodbye @7 :Control.Goodbye;
    accepted @8 :Control.Accepted;
    refused @9 :Control.Refused;
    listNodes @10 :Control.ListNodes;
    nodeList @11 :Control.NodeList;
    calibrate @12 :Calibration.Calibrate;
    calibrationReport @13 :Calibration.CalibrationReport;
    submitJob @14 :Job.SubmitJob;
    jobAccepted @15 :Job.JobAccepted;
    listJobs @16 :Job.ListJobs;
    jobList @17 :Job.JobList;
    showJob @18 :Job.ShowJob;
    jobDetail @19 :Job.JobDetail;
    cancelJob @20 :Job.CancelJob;
    reserve @21 :Plan.Reserve;
    reserved @22 :Plan.Reserved;
    release @23 :Plan.Release;
    assignPlan @24 :Plan.AssignPlan;
    startJob @25 :Run.StartJob;
    runnerReady @26 :Run.RunnerReady;
    connectRunners @27 :Run.ConnectRunners;
    stepReport @28 :Run.StepReport;
    abortJob @29 :Run.AbortJob;
    runnerEnded @30 :Run.RunnerEnded;
    saveState @31 :State.SaveState;
    stateSaved @32 :State.StateSaved;
    getCheckpoint @33 :State.GetCheckpoint;
    checkpoint @34 :State.Checkpoint;
    offerChunks @35 :State.OfferChunks;
    missingChunks @36 :State.MissingChunks;
    putChunk @37 :State.PutChunk;
    getChunk @38 :State.GetChunk;
    chunk @39 :State.Chunk;
    watchJob @40 :Telemetry.WatchJob;
    jobUpdate @41 :Telemetry.JobUpdate;
    launchRunner @42 :Run.LaunchRunner;
    saveFailed @43 :State.SaveFailed;
    holdJob @44 :Run.HoldJob;
    held @45 :Run.Held;
    removeNode @46 :Control.RemoveNode;
    dropPieces @47 :State.DropPieces;
    forgetJob @48 :State.ForgetJob;
  }
}
