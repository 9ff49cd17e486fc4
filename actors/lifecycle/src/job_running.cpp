// From starting to the end: steps, saves, ends, losses, cancels.
#include <algorithm>
#include <utility>

#include "job_machine.hpp"

namespace frenzy::lifecycle {

using model::JobState;

void Machine::on(const event::StepReported& e) {
  if (part(e.node, e.epoch) == nullptr) return refuse("a step of another epoch");
  if (in(JobState::starting)) enter(JobState::running, format("step {} done by {} runners", e.row.step, job_.nodes.size()));
  if (!in(JobState::running)) return refuse("the job is not running");
  for (const auto& [device, arena] : e.arenas) {
    const auto share = std::ranges::find(job_.planned.shares, device, &model::DeviceShare::device);
    if (share != job_.planned.shares.end()) share->measured = std::max(share->measured, arena);
  }
  // Every node reports the same sums: the first report of a step is the step.
  if (e.row.step <= job_.step) return;
  job_.step = e.row.step;
  job_.loss = e.row.loss();
  const auto seconds = e.row.duration.count();
  job_.tokens_per_second = seconds > 0 ? static_cast<double>(e.row.tokens) / seconds : 0;
  effects_.emplace_back(effect::RecordStep{e.row});
}

void Machine::on(const event::Saved& e) {
  const auto* node = part(e.node, e.epoch);
  if (!in(JobState::running) || node == nullptr) return refuse("the job is not running");
  if (e.step <= job_.saved) return;
  auto& save = job_.saves[e.step];
  save[e.node] = e.pieces;
  if (save.size() < job_.nodes.size()) return;
  effect::RecordSave record{e.step, {}};
  for (const auto& [id, pieces] : save) {
    record.pieces.insert(record.pieces.end(), pieces.begin(), pieces.end());
  }
  job_.saved = e.step;
  job_.saves.erase(job_.saves.begin(), job_.saves.upper_bound(e.step));
  effects_.emplace_back(std::move(record));
  if (job_.cancelling) return finish_cancel(format("saved at step {}", job_.saved));
  if (std::exchange(job_.overdue, false)) note(format("saving works again: step {} is saved", job_.saved));
  finish_if_all_ended();
}

void Machine::on(const event::RunnerHeld& e) {
  auto* node = part(e.node, e.epoch);
  if (!job_.cancelling || node == nullptr) return refuse("no runner was told to hold");
  node->held = e.step;
  Step largest;
  for (const auto& other : job_.nodes) {
    if (!other.held) return;
    largest = std::max(largest, *other.held);
  }
  for (const auto& other : job_.nodes) effects_.emplace_back(effect::SaveNode{other.node, largest});
}

void Machine::on(const event::SaveFailed& e) {
  const auto* node = part(e.node, e.epoch);
  if (!in(JobState::running) || node == nullptr) return refuse("the job is not running");
  if (job_.cancelling) {
    return finish_cancel(format("not saved: {} on {}; {}", e.why.what, node->name, last_save()));
  }
  if (e.step.value > 0 && e.step.value < job_.submission.steps) {
    // Said once, until a save works again.
    if (!std::exchange(job_.overdue, true)) {
      note(format("checkpoint overdue: saving step {} failed on {}: {}; {}; training goes on", e.step, node->name,
                  e.why.what, last_save()));
    }
    return;
  }
  fail(error(e.why.code, "saving failed on {} at step {}: {}; {}", node->name, job_.step, e.why.what, last_save()));
}

void Machine::on(const event::RunnerEnded& e) {
  auto* node = part(e.node, e.epoch);
  if (!has_runners() || node == nullptr) return refuse("no such runner is known");
  node->told = false;  // it is gone and has given back its bytes
  if (e.failure) {
    if (job_.cancelling) {
      return finish_cancel(format("not saved: the runner on {} ended ({}); {}", node->name, e.failure->what, last_save()));
    }
    return fail(error(e.failure->code, "the runner on {} failed at step {}: {}", node->name, e.step, e.failure->what));
  }
  node->ended = true;
  if (!in(JobState::running)) {
    return fail(error(Errc::internal, "the runner on {} left before its first step", node->name));
  }
  finish_if_all_ended();
}

void Machine::finish_if_all_ended() {
  if (!std::ranges::all_of(job_.nodes, &NodePart::ended)) return;
  if (job_.saved != job_.step) {
    return fail(error(Errc::io, "all {} steps are done, but step {} was not saved; {}", job_.step, job_.step, last_save()));
  }
  const auto ending = job_.cancelling ? " before the cancel took effect" : "";
  job_.cancelling = false;
  enter(JobState::finished, format("{} steps, loss {}, saved{}", job_.step, job_.loss, ending));
}

void Machine::on(const event::RunnerStuck& e) {
  const auto* node = part(e.node, e.epoch);
  if (!has_runners() || node == nullptr) return refuse("no such runner is known");
  const auto stuck = format("the runner on {} is stuck: {}; {}", node->name, e.what, last_save());
  if (job_.cancelling) return finish_cancel(format("not saved: {}", stuck));
  fail(error(Errc::timed_out, "{}", stuck));
}

void Machine::on(const event::NodeLost& e) {
  auto* node = part(e.node, job_.epoch);
  if (node == nullptr || !model::is_placed(job_.state)) return;
  if (in(JobState::planned)) return back_to_queue(format("node {} is gone: {}", node->name, e.why));
  node->told = false;
  if (job_.cancelling) {
    return finish_cancel(format("not saved: node {} is gone ({}); {}", node->name, e.why, last_save()));
  }
  fail(error(Errc::unreachable, "node {} is gone at step {}: {}; {}", node->name, job_.step, e.why, last_save()));
}

void Machine::on(const event::CancelRequested& e) {
  if (job_.cancelling) return refuse("the job is being cancelled");
  if (!in(JobState::running)) return finish_cancel(format("by {} before its first step", e.by));
  job_.cancelling = true;
  note(format("cancelled by {}: saving", e.by));
  for (const auto& node : job_.nodes) {
    if (!node.ended) effects_.emplace_back(effect::HoldNode{node.node});
  }
  effects_.emplace_back(effect::SetTimer{event::Timer::save, kSaveDeadline});
}

void Machine::finish_cancel(std::string reason) {
  withdraw("cancelled");
  job_.cancelling = false;
  job_.saves.clear();
  enter(JobState::cancelled, std::move(reason));
}

void Machine::on(const event::CoordinatorRestarted& e) {
  if (!model::is_placed(job_.state)) return refuse("the job was not placed");
  fail(error(Errc::conflict, "the coordinator restarted (incarnation {}) while the job was {} at step {}; {}",
             e.incarnation, model::name_of(job_.state), job_.step, last_save()));
}

void Machine::on(const event::PauseRequested&) {
  effects_.emplace_back(effect::RefuseEvent{error(Errc::unsupported, "pausing a job is not something this version does")});
}

}  // namespace frenzy::lifecycle
