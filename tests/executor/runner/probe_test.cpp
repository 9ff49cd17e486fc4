#include <catch2/catch.hpp>

#include "frenzy/base/rng.hpp"
#include "frenzy/executor/calibrate.hpp"
#include "frenzy/executor/cpu/reference/reference_kernels.hpp"

using namespace frenzy;
using namespace frenzy::executor;
using cpu::reference::ReferenceKernels;

TEST_CASE("virtual devices of one processor measure in the exact ratio of their slowdowns", "[executor]") {
  const SystemClock clock;
  ReferenceKernels<float> kernels(probe_model());
  Rng rng(1);
  std::vector<model::DeviceSpec> devices(3);
  for (auto& device : devices) device.id = DeviceId::random(rng);
  devices[0].slowdown = 0;  // as fast as the processor
  devices[1].slowdown = 2;
  devices[2].slowdown = 8;
  const auto out = measure_virtual_devices(kernels, clock, devices, {.budget = std::chrono::milliseconds{1}});
  const auto& processor = out.devices.at(devices[0].id);
  CHECK(processor.matrix_rate.value > 0);
  CHECK(processor.memory_bandwidth.value > 0);
  for (const auto& device : {devices[1], devices[2]}) {
    const auto& cost = out.devices.at(device.id);
    CHECK(cost.matrix_rate.value == processor.matrix_rate.value / device.slowdown);
    CHECK(cost.memory_bandwidth.value == processor.memory_bandwidth.value / device.slowdown);
  }
}

TEST_CASE("the catalogue holds what a backend asks for and nothing else", "[executor]") {
  program::KernelCatalogue catalogue;
  fill_catalogue(catalogue, ReferenceKernels<double>(probe_model()), 16, 4, 1);
  CHECK(catalogue.entries().empty());
}
