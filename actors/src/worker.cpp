#include "worker.hpp"

namespace frenzy::actors {
namespace {

class Worker final : public ActorBase {
 public:
  using ActorBase::ActorBase;
  caf::behavior make_behavior() override {
    return {[](const Msg<Work>& work) {
      work->run();
      return msg(Status{});
    }};
  }
};

}  // namespace

caf::actor spawn_worker(caf::actor_system& system, Environment env, const char* name, Workers workers) {
  if (workers == Workers::threads) return system.spawn<Worker, caf::detached>(env, name);
  return system.spawn<Worker>(env, name);
}

}  // namespace frenzy::actors
