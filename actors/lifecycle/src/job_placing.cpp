// From submitted to starting: planning, reserving, assigning, starting.
#include <algorithm>

#include "job_machine.hpp"

namespace frenzy::lifecycle {

using model::JobState;

void Machine::ask_planner() {
  if (job_.asked_planner) return;
  job_.asked_planner = true;
  effects_.emplace_back(effect::AskPlanner{});
}

void Machine::on(const event::Submitted&) {
  if (!in(JobState::submitted)) return refuse("the job was submitted before");
  enter(JobState::submitted, "waiting for the planner");
  ask_planner();
}

void Machine::on(const event::ClusterChanged&) {
  if (in(JobState::submitted)) ask_planner();
}

void Machine::on(const event::MustWait& e) {
  if (!in(JobState::submitted)) return refuse("the job waits for no plan");
  job_.asked_planner = false;
  if (job_.reason != e.why) note(e.why);
}

void Machine::on(const event::DoesNotFit& e) {
  if (!in(JobState::submitted)) return refuse("the job waits for no plan");
  job_.asked_planner = false;
  fail(e.why);
}

void Machine::on(const event::Planned& e) {
  if (!in(JobState::submitted)) return refuse("the job waits for no plan");
  if (e.planned.shares.empty()) return fail(error(Errc::internal, "the planner made a plan without devices"));
  job_.asked_planner = false;
  place(e.planned);
}

void Machine::place(const model::PlannedJob& planned) {
  job_.planned = planned;
  job_.epoch.value += 1;
  job_.planned.plan.epoch = job_.epoch;
  job_.nodes.clear();
  job_.devices.assign(planned.shares.size(), DeviceReply::waiting);
  for (const auto& share : planned.shares) {
    if (part(share.node, job_.epoch) == nullptr) {
      job_.nodes.push_back({.node = share.node, .name = share.node_name, .told = true});
    }
  }
  enter(JobState::planned, format("{} devices on {} nodes, about {} a step", planned.shares.size(),
                                  job_.nodes.size(), planned.predicted_step));
  for (const auto& share : planned.shares) {
    const auto bytes = share.predicted.total();
    effects_.emplace_back(effect::ReserveDevice{share.node, share.device, bytes});
  }
  effects_.emplace_back(effect::SetTimer{event::Timer::reserve, kReserveDeadline});
}

void Machine::back_to_queue(std::string reason) {
  withdraw(reason);
  job_.refusals += 1;
  if (job_.refusals >= kMaxRefusals) {
    return fail(error(Errc::does_not_fit, "reservation failed {} times in a row, last because {}",
                      job_.refusals, reason));
  }
  enter(JobState::submitted, format("plans again in {}: {}", Seconds{kRetryDelay}, reason));
  effects_.emplace_back(effect::SetTimer{event::Timer::retry, kRetryDelay});
}

void Machine::on(const event::DeviceReserved& e) {
  if (!in(JobState::planned) || e.epoch != job_.epoch) return refuse("no such reservation is open");
  for (std::size_t i = 0; i < job_.devices.size(); ++i) {
    if (job_.planned.shares[i].device == e.device) job_.devices[i] = DeviceReply::reserved;
  }
  const auto waits = [](DeviceReply reply) { return reply == DeviceReply::waiting; };
  if (std::ranges::any_of(job_.devices, waits)) return;
  job_.refusals = 0;
  enter(JobState::reserved, format("{} devices reserved; {} runners are being made", job_.devices.size(),
                                   job_.nodes.size()));
  for (const auto& node : job_.nodes) effects_.emplace_back(effect::AssignNode{node.node});
  effects_.emplace_back(effect::SetTimer{event::Timer::ready, kReadyDeadline});
}

void Machine::on(const event::DeviceRefused& e) {
  if (!in(JobState::planned) || e.epoch != job_.epoch) return refuse("no such reservation is open");
  back_to_queue(e.why.what);
}

void Machine::on(const event::RunnerReady& e) {
  auto* node = part(e.node, e.epoch);
  if (!in(JobState::reserved) || node == nullptr) return refuse("no such runner is expected");
  node->ready = true;
  node->address = e.address;
  node->runner = e.runner;
  start_if_all_ready();
}

void Machine::start_if_all_ready() {
  if (!std::ranges::all_of(job_.nodes, &NodePart::ready)) return;
  enter(JobState::starting, format("{} runners ready", job_.nodes.size()));
  for (const auto& node : job_.nodes) effects_.emplace_back(effect::StartNode{node.node});
}

void Machine::on(const event::TimerFired& e) {
  using event::Timer;
  if (e.epoch != job_.epoch) return;
  if (e.timer == Timer::retry && in(JobState::submitted)) return ask_planner();
  if (e.timer == Timer::reserve && in(JobState::planned)) {
    const auto missing = std::ranges::count(job_.devices, DeviceReply::waiting);
    return back_to_queue(format("{} of {} devices did not answer within {}", missing,
                                job_.devices.size(), Seconds{kReserveDeadline}));
  }
  if (e.timer == Timer::ready && in(JobState::reserved)) {
    const auto late = std::ranges::find(job_.nodes, false, &NodePart::ready);
    return fail(error(Errc::timed_out, "the runner on {} was not ready within {}", late->name,
                      Seconds{kReadyDeadline}));
  }
  if (e.timer == Timer::save && job_.cancelling) {
    auto missing = names_without(job_.saves.empty() ? std::map<NodeId, std::vector<model::SavedPiece>>{}
                                                    : job_.saves.rbegin()->second);
    finish_cancel(format("not saved: the shards of {} were missing after {}; {}", missing,
                         Seconds{kSaveDeadline}, last_save()));
  }
}

}  // namespace frenzy::lifecycle
