#include "frenzy/actors/coordinator.hpp"

#include "coordinator_actor.hpp"

namespace frenzy::actors {

namespace event = lifecycle::event;

CoordinatorActor::CoordinatorActor(caf::actor_config& config, CoordinatorParts parts)
    : WorkingActor(config, parts.env, "coordinator"), parts_(std::move(parts)) {}

caf::behavior CoordinatorActor::make_behavior() {
  storage_ = spawn_worker(system(), env(), "storage", parts_.workers);
  planner_ = spawn_worker(system(), env(), "planner", parts_.workers);
  send_to(parts_.gateway, SetOwner{self()});
  recover();
  membership(event::Tick{});
  remind(lifecycle::kHeartbeat, Tick{});
  return {
      [](const Msg<PeerUp>&) {},
      [this](const Msg<PeerDown>& m) {
        membership(event::LinkLost{m->peer.peer.value, m->why.what});
        for (const auto& [id, job] : jobs_) {
          if (job.actor) send_to(job.actor, WatcherGone{m->peer.peer});
        }
      },
      [this](const Msg<Incoming>& m) { incoming(*m); },
      [this](const Msg<ToNode>& m) { return to_node(*m); },
      [this](const Msg<WantPlan>& m) { return plan(*m); },
      [this](const Msg<JobChanged>& m) { jobs_[m->summary.id].summary = m->summary; },
      [this](const Msg<JobOver>& m) { job_over(m->job); },
      [this](const Msg<Tick>&) { tick(); },
  };
}

void CoordinatorActor::on_exit() {
  for (auto& [id, job] : jobs_) {
    if (job.actor) send_exit(job.actor, caf::exit_reason::user_shutdown);
    job.actor = nullptr;
  }
  send_exit(storage_, caf::exit_reason::user_shutdown);
  send_exit(planner_, caf::exit_reason::user_shutdown);
  storage_ = planner_ = parts_.gateway = nullptr;
}

void CoordinatorActor::recover() {
  for (const auto& status : parts_.nodes) membership_.nodes[status.node.id] = lifecycle::remembered(status);
  parts_.nodes.clear();
  for (auto& stored : parts_.jobs) {
    auto& known = jobs_[stored.submission.job];
    known.order = jobs_.size();
    known.summary = stored.detail.summary;
    if (model::is_terminal(known.summary.state)) continue;
    const auto spec = parts_.parse(stored.submission.toml);
    lifecycle::Job job = lifecycle::new_job({.id = stored.submission.job, .name = known.summary.name,
                                             .toml = stored.submission.toml, .data = stored.submission.data,
                                             .steps = known.summary.steps, .owner = known.summary.owner},
                                            known.summary.submitted);
    job.state = known.summary.state;
    job.step = known.summary.step;
    job.saved = known.summary.saved;
    job.loss = known.summary.loss;
    job.epoch = stored.detail.epoch;
    job.planned.shares = stored.detail.shares;
    begin_job(stored.submission, spec ? *spec : model::JobSpec{}, std::move(job));
  }
  parts_.jobs.clear();
}

void CoordinatorActor::begin_job(const codec::SubmitJob& submission, const model::JobSpec& spec, lifecycle::Job job) {
  auto& known = jobs_[submission.job];
  if (known.order == 0) known.order = jobs_.size();
  known.summary = lifecycle::summary(job);
  const bool placed = model::is_placed(job.state);
  known.actor = spawn_job(system(), {env(), self(), parts_.gateway, storage_, parts_.store, parts_.store->incarnation(), spec}, std::move(job));
  if (placed) {
    send_to(known.actor, JobInput{event::CoordinatorRestarted{parts_.store->incarnation()}});
  } else {
    send_to(known.actor, JobInput{event::Submitted{}});
  }
}

void CoordinatorActor::each_live_job(const lifecycle::JobEvent& happened) {
  for (const auto& [id, job] : jobs_) {
    if (job.actor) send_to(job.actor, JobInput{happened});
  }
}

void CoordinatorActor::job_over(JobId job) {
  auto& known = jobs_[job];
  if (!known.actor) return;
  send_to(known.actor, Retire{});
  known.actor = nullptr;
}

caf::actor spawn_coordinator(caf::actor_system& system, CoordinatorParts parts) {
  return system.spawn<CoordinatorActor>(std::move(parts));
}

}  // namespace frenzy::actors
