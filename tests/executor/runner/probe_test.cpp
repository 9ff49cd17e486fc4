#include <catch2/catch.hpp>

#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/reference/reference_kernels.hpp"

using namespace frenzy;
using namespace frenzy::executor;
using cpu::reference::ReferenceKernels;

TEST_CASE("a device that is slowed down measures slower by the same factor", "[executor]") {
  const SystemClock clock;
  ReferenceKernels<float> kernels(probe_model());
  const auto fast = measure_device(kernels, clock, {.slowdown = 2, .budget = std::chrono::milliseconds{1}});
  const auto slow = measure_device(kernels, clock, {.slowdown = 8, .budget = std::chrono::milliseconds{1}});
  CHECK(fast.matrix_rate.value > 0);
  CHECK(fast.memory_bandwidth.value > 0);
  // Least CPU times of the same work: far apart only if the slowdown were not applied.
  CHECK(fast.matrix_rate.value / slow.matrix_rate.value > 2.0);
  CHECK(fast.matrix_rate.value / slow.matrix_rate.value < 8.0);
}

TEST_CASE("the catalogue holds what a backend asks for and nothing else", "[executor]") {
  program::KernelCatalogue catalogue;
  fill_catalogue(catalogue, ReferenceKernels<double>(probe_model()), 16, 4, 1);
  CHECK(catalogue.entries().empty());
}
