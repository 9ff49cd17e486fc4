#pragma once
// The planner's search: which devices a job gets and what each does. Pure: same inputs, same plan.
//
// Today it makes one data-parallel group of every device that can take part: samples are dealt so that
// the slowest device finishes as early as possible at measured speed, the optimizer state is cut in
// proportion to speed as far as memory allows, and a device that cannot hold even one sample is left
// out with the reason. It sizes every candidate with the very program that will run.

#include <string>
#include <vector>

#include "frenzy/model/calibration.hpp"
#include "frenzy/model/cluster_spec.hpp"
#include "frenzy/model/job_spec.hpp"
#include "frenzy/model/plan.hpp"
#include "frenzy/planner/compile.hpp"
#include "frenzy/program/kernel_catalogue.hpp"

namespace frenzy::planner {

struct PlanInputs {
  const model::ModelSpec* model = nullptr;
  const model::Recipe* recipe = nullptr;
  const model::ClusterSpec* cluster = nullptr;
  const model::Calibration* calibration = nullptr;
  const program::KernelCatalogue* catalogue = nullptr;
  Epoch epoch{1};
  Bytes reserve = 4_MiB;  ///< kept free on every device
};

/// What one device does, and why.
struct DeviceShare {
  DeviceId device;
  std::string name;
  std::uint32_t samples = 0;
  std::uint32_t micro_batch = 0;
  double state_fraction = 0.0;  ///< of the optimizer state
  model::Footprint footprint;   ///< fixed and reserve included
  Bytes arena{};
  Fingerprint fingerprint;      ///< of its program
  Bytes free{};
  Seconds compute{};            ///< predicted, a step
  std::string why;              ///< one sentence with numbers
};

struct LeftOut {
  DeviceId device;
  std::string name;
  std::string why;
};

struct PlanResult {
  model::Plan plan;
  std::vector<DeviceShare> shares;  ///< in rank order
  std::vector<LeftOut> left_out;
  Seconds step{};  ///< predicted compute time of the slowest device
};

/// Errors: does_not_fit with needed and available bytes and the largest part; not_found if there is no
/// device with a measured speed; invalid_argument for an illegal recipe.
[[nodiscard]] Result<PlanResult> search(const PlanInputs& inputs);

}  // namespace frenzy::planner
