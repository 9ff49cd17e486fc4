#pragma once
// The heavy parts of one job on this node, in the order in which they must live: made and destroyed
// where blocking is allowed.

#include <memory>

#include "frenzy/codec/run.hpp"
#include "frenzy/content/content_store.hpp"
#include "frenzy/executor/exchange.hpp"
#include "frenzy/executor/job_runner.hpp"
#include "frenzy/executor/ordered_samples.hpp"
#include "frenzy/executor/session_exchange.hpp"
#include "frenzy/training/backend.hpp"
#include "frenzy/training/injected_fault.hpp"

namespace frenzy::training {

struct JobParts {
  std::unique_ptr<content::ContentStore> content;
  std::unique_ptr<executor::OrderedSamples> samples;
  std::vector<executor::RunnerDevice> devices;  ///< until the runner takes them
  std::vector<DeviceId> ids;                    ///< of local devices, in order of rank
  std::vector<Rank> ranks;
  std::vector<Bytes> arenas;
  std::uint64_t save_every = 0;  ///< steps; 0 = at the end only
  std::unique_ptr<executor::LocalExchange> hub;
  std::unique_ptr<executor::JobRunner> runner;
};

/// Compiles and compares with the planner's programs, opens the data. Blocks.
[[nodiscard]] Result<std::shared_ptr<JobParts>> prepare(const Backend& backend, const codec::LaunchRunner& launch,
                                                        Files& files, const ContentHashing& hashing,
                                                        const std::vector<InjectedFault>& faults);

/// Takes the arenas and makes the initial state. Blocks.
[[nodiscard]] Status build(const Backend& backend, JobParts& parts, const codec::LaunchRunner& launch,
                           const Clock& clock, transport::Session& session, const executor::ExchangeRoutes& routes,
                           executor::JobRunnerEvents& events);

/// Writes what this node owns, now or as it was copied; the pieces, with its name. Blocks.
[[nodiscard]] Result<std::vector<model::SavedPiece>> save(JobParts& parts, const codec::LaunchRunner& launch,
                                                          Files& files, const ContentHashing& hashing);
[[nodiscard]] Result<std::vector<model::SavedPiece>> save(const std::vector<executor::StateCopy>& copies,
                                                          const codec::LaunchRunner& launch, Files& files,
                                                          const ContentHashing& hashing);

}  // namespace frenzy::training
