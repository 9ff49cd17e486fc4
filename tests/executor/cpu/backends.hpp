#pragma once
// The kernels that these tests compare: names, factories and bounds.

#include <memory>
#include <string>
#include <vector>

#include "frenzy/executor/kernels.hpp"

namespace frenzy::executor::test {

struct Backend {
  std::string name;
  std::unique_ptr<Kernels> (*make)(const model::ModelSpec&);
};

/// Every backend that this build has.
[[nodiscard]] std::vector<Backend> backends();

}  // namespace frenzy::executor::test
