#pragma once
// Backend: what programs run on below the interpreter. One for planner, node and runner, so that all
// three compile to the same program.

#include "frenzy/executor/job_runner.hpp"

namespace frenzy::training {

struct Backend {
  executor::MakeKernels make_kernels;
  executor::MakeRuntime make_runtime = executor::make_threaded_runtime;
  executor::Poison poison = executor::Poison::no;
};

/// Virtual CPU devices: one thread a stream, the fast kernels.
[[nodiscard]] Backend cpu_backend();

}  // namespace frenzy::training
