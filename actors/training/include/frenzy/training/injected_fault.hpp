#pragma once
// Faults that a node is told to inject into its runners, for tests and drills: "cpu0:7:forward" is an
// allocation failure on device cpu0 in step 7, in its forward instructions; "cpu0:7" the same.

#include <string>
#include <string_view>
#include <vector>

#include "frenzy/executor/host_runtime.hpp"

namespace frenzy::training {

struct InjectedFault {
  std::string device;  ///< its name without the node's
  executor::Faults faults;
};

/// invalid_argument, naming what is wrong with the text.
[[nodiscard]] Result<InjectedFault> parse_fault(std::string_view text);
[[nodiscard]] Result<std::vector<InjectedFault>> parse_faults(const std::vector<std::string>& texts);

/// What is injected into the device of that full name ("n1/cpu0"); none is the usual answer.
[[nodiscard]] executor::Faults faults_of(const std::vector<InjectedFault>& all, std::string_view device);

}  // namespace frenzy::training
