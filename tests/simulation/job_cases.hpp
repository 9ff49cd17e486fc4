#pragma once
// Random small jobs over one small text.

#include "frenzy/base/rng.hpp"
#include "frenzy/model/job_spec.hpp"

namespace frenzy::simulation {

struct JobCase {
  JobId id{};
  std::string toml{};
  model::JobSpec spec{};
};

[[nodiscard]] std::string random_text(Rng& rng);
[[nodiscard]] JobCase random_job(Rng& rng, std::size_t number);

}  // namespace frenzy::simulation
