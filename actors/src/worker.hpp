#pragma once
// Worker: an actor that runs work which may block (store, files, plan search), in order, on a thread of
// its own in production and inline in simulation.

#include "actor_base.hpp"
#include "frenzy/actors/coordinator.hpp"

namespace frenzy::actors {

struct Work { std::function<void()> run; };

[[nodiscard]] caf::actor spawn_worker(caf::actor_system& system, Environment env, const char* name, Workers workers);

/// An actor that can have work done by a worker.
class WorkingActor : public ActorBase {
 public:
  using ActorBase::ActorBase;

 protected:
  /// Runs `job` in the worker, then `then` with its result inside this actor. R is a Result.
  template <class R, class Job, class Then>
  void work(const caf::actor& worker, Job job, Then then) {
    auto slot = std::make_shared<std::optional<R>>();
    ask<Status>(worker, Work{[slot, job]() mutable { slot->emplace(job()); }},
                [slot, then](const Status& status) mutable { then(status ? std::move(**slot) : R(status.error())); });
  }
};

}  // namespace frenzy::actors
