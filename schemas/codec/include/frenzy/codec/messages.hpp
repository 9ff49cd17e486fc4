#pragma once
// The messages between processes as plain values, by family. What each field may hold is checked when
// a message is decoded: a value of these types that came from `decode` is in bounds.

#include "frenzy/codec/calibration.hpp"
#include "frenzy/codec/control.hpp"
#include "frenzy/codec/job.hpp"
#include "frenzy/codec/plan.hpp"
#include "frenzy/codec/run.hpp"
#include "frenzy/codec/state.hpp"
#include "frenzy/codec/telemetry.hpp"
