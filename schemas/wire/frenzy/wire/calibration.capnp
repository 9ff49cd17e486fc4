@0xba74f6e5f828782c;
# Calibration: measured costs of devices.

using Control = import "control.capnp";
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frenzy::wire");

struct DeviceCost {
  device @0 :Data;
  matrixFlopsPerSecond @1 :Float64;
  memoryBytesPerSecond @2 :Float64;
  fixedBytes @3 :UInt64;
}

struct Calibrate { devices @0 :List(Control.Device); }
struct CalibrationReport { devices @0 :List(DeviceCost); }
