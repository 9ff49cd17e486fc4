#include "frenzy/lifecycle/job.hpp"

#include "job_machine.hpp"

namespace frenzy::lifecycle {

Job new_job(Submission submission, WallTime now) {
  Job job;
  job.submission = std::move(submission);
  job.since = job.submitted = now;
  job.reason = "accepted";
  return job;
}

JobTransition step(Job job, const JobEvent& event, WallTime now) {
  Machine machine(std::move(job), now);
  if (model::is_terminal(machine.job().state)) {
    machine.refuse(format("the job has {}", model::name_of(machine.job().state)));
  } else {
    std::visit([&](const auto& e) { machine.on(e); }, event);
  }
  return machine.take();
}

model::JobSummary summary(const Job& job) {
  return {.id = job.submission.id,
          .name = job.submission.name,
          .state = job.state,
          .since = job.since,
          .reason = job.reason,
          .submitted = job.submitted,
          .step = job.step,
          .steps = job.submission.steps,
          .saved = job.saved,
          .loss = job.loss,
          .tokens_per_second = job.tokens_per_second,
          .failure = job.failure ? std::optional(job.failure->code) : std::nullopt,
          .owner = job.submission.owner};
}

model::JobDetail detail(const Job& job, std::vector<model::StateChange> history) {
  return {.summary = summary(job),
          .toml = job.submission.toml,
          .epoch = job.epoch,
          .shares = job.planned.shares,
          .notes = job.planned.notes,
          .predicted_step = job.planned.predicted_step,
          .history = std::move(history)};
}

}  // namespace frenzy::lifecycle
