// What all events share: entering states, failing, withdrawing from nodes.
#include "job_machine.hpp"

#include "frenzy/base/text.hpp"

namespace frenzy::lifecycle {

using model::JobState;

void Machine::enter(JobState state, std::string reason) {
  job_.state = state;
  job_.since = now_;
  note(std::move(reason));
}

void Machine::note(std::string reason) {
  job_.reason = std::move(reason);
  effects_.emplace_back(effect::RecordState{{job_.state, job_.since, job_.reason}});
}

void Machine::refuse(std::string_view what) {
  effects_.emplace_back(effect::RefuseEvent{error(Errc::conflict, "{}", what)});
}

bool Machine::has_runners() const {
  return in(JobState::reserved) || in(JobState::starting) || in(JobState::running);
}

void Machine::withdraw(const std::string& reason) {
  for (auto& node : job_.nodes) {
    if (!node.told) continue;
    if (has_runners()) {
      effects_.emplace_back(effect::AbortNode{node.node, reason});
    } else {
      effects_.emplace_back(effect::ReleaseNode{node.node});
    }
    node.told = false;
  }
}

void Machine::fail(Error why) {
  withdraw(why.what);
  job_.cancelling = false;
  job_.saves.clear();
  job_.failure = why;
  enter(JobState::failed, std::move(why.what));
}

std::string Machine::last_save() const {
  return job_.saved.value == 0 ? std::string("nothing was saved before")
                               : format("the last save is step {}", job_.saved);
}

NodePart* Machine::part(NodeId node, Epoch epoch) {
  if (epoch != job_.epoch) return nullptr;
  for (auto& part : job_.nodes) {
    if (part.node == node) return &part;
  }
  return nullptr;
}

std::string Machine::names_without(const std::map<NodeId, std::vector<model::SavedPiece>>& saved) const {
  std::vector<std::string> names;
  for (const auto& node : job_.nodes) {
    if (!saved.contains(node.node)) names.push_back(node.name);
  }
  return join(names, ", ");
}

}  // namespace frenzy::lifecycle
