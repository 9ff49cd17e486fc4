#pragma once
// One function a section of the job file. Problems go to the reader; what could be read is
// returned.

#include "table_reader.hpp"

#include "frenzy/model/job_spec.hpp"

namespace frenzy::job_file {

[[nodiscard]] model::ModelSpec read_model(TableReader reader);
[[nodiscard]] model::DataSpec read_data(TableReader reader);
[[nodiscard]] model::Recipe read_train(TableReader reader);
[[nodiscard]] model::EvalSpec read_eval(TableReader reader);
[[nodiscard]] model::CheckpointSpec read_checkpoint(TableReader reader);
/// [job]: priority, objective, max_restarts.
void read_job(TableReader reader, model::JobSpec& job);

}  // namespace frenzy::job_file
