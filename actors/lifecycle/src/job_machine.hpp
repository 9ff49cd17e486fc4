#pragma once
// One transition of a job: the job being changed and the effects collected so far.

#include "frenzy/lifecycle/job.hpp"

namespace frenzy::lifecycle {

class Machine {
 public:
  Machine(Job job, WallTime now) : job_(std::move(job)), now_(now) {}
  [[nodiscard]] JobTransition take() { return {std::move(job_), std::move(effects_)}; }
  [[nodiscard]] const Job& job() const { return job_; }

  void on(const event::Submitted&);
  void on(const event::ClusterChanged&);
  void on(const event::Planned&);
  void on(const event::MustWait&);
  void on(const event::DoesNotFit&);
  void on(const event::DeviceReserved&);
  void on(const event::DeviceRefused&);
  void on(const event::RunnerReady&);
  void on(const event::StepReported&);
  void on(const event::RunnerHeld&);
  void on(const event::Saved&);
  void on(const event::SaveFailed&);
  void on(const event::RunnerEnded&);
  void on(const event::RunnerStuck&);
  void on(const event::NodeLost&);
  void on(const event::CancelRequested&);
  void on(const event::CoordinatorRestarted&);
  void on(const event::PauseRequested&);
  void on(const event::TimerFired&);

  void refuse(std::string_view what);

 private:
  void fail(Error why);
  void enter(model::JobState state, std::string reason);
  void note(std::string reason);  ///< the same state, another reason
  void ask_planner();
  void place(const model::PlannedJob& planned);
  void back_to_queue(std::string reason);
  void withdraw(const std::string& reason);  ///< abort or release on every node that was told
  void finish_if_all_ended();
  void finish_cancel(std::string reason);
  void start_if_all_ready();
  [[nodiscard]] NodePart* part(NodeId node, Epoch epoch);
  [[nodiscard]] std::string names_without(const std::map<NodeId, std::vector<model::SavedPiece>>& saved) const;
  [[nodiscard]] std::string last_save() const;
  [[nodiscard]] bool in(model::JobState state) const { return job_.state == state; }
  [[nodiscard]] bool has_runners() const;

  Job job_;
  WallTime now_;
  std::vector<JobEffect> effects_;
};

}  // namespace frenzy::lifecycle
