#pragma once
// One seed: a random cluster, random jobs and random faults, then calm until every job has ended, then
// the invariants.

#include <string>
#include <vector>

#include "defect.hpp"
#include "frenzy/base/hash.hpp"

namespace frenzy::simulation {

enum class Keep : std::uint8_t { hash = 1, lines = 2 };

struct Outcome {
  Fingerprint hash{};                      ///< of everything that was logged, recorded and computed
  std::vector<std::string> violations{};   ///< sentences; none if all is well
  std::vector<std::string> lines{};        ///< the log, on request
  std::size_t finished = 0, failed = 0, cancelled = 0;
  std::size_t states_compared = 0;         ///< saves whose every element was compared with the oracle
  std::size_t steps_compared = 0;          ///< recorded losses and norms compared with the oracle
  std::size_t faults = 0;
  std::uint64_t events = 0;
};

[[nodiscard]] Outcome run_seed(std::uint64_t seed, Defect& defect, Keep keep = Keep::hash);

}  // namespace frenzy::simulation
