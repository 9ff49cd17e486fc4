#include "job_cases.hpp"

#include "frenzy/job_file/job_file.hpp"

namespace frenzy::simulation {

std::string random_text(Rng& rng) {
  std::string out(400 + rng.below(1500), ' ');
  for (auto& letter : out) letter = static_cast<char>(1 + rng.below(255));
  return out;
}

JobCase random_job(Rng& rng, std::size_t number) {
  const auto one_of = [&]<std::size_t N>(const char* const (&choices)[N]) { return choices[rng.below(N)]; };
  JobCase out;
  out.id = JobId::random(rng);
  out.toml = format("name = \"job{}\"\n[model]\nlayers = {}\nhidden = 4\nheads = {}\npositions = 8\nvocabulary = 256\ntying = \"{}\"\n",
                    number, 1 + rng.below(2), 1 + rng.below(2), one_of({"tied", "untied"}));
  out.toml += "[data]\npath = \"data.txt\"\n";
  out.toml += format("[train]\nsteps = {}\nglobal_batch = {}\nseq_len = {}\nlr = 0.01\noptimizer = \"{}\"\nprecision = \"{}\"\nclip = {}\nseed = {}\n",
                     4 + rng.below(rng.below(4) == 0 ? 100 : 25), 1 + rng.below(12), 2 + rng.below(6), one_of({"adamw", "sgd"}),
                     one_of({"fp32", "fp64"}), one_of({"0.0", "1.0"}), rng.below(1000));
  if (rng.below(2) == 0) out.toml += format("[checkpoint]\nevery = {}\nkeep = {}\n", 1 + rng.below(10), 1 + rng.below(3));
  auto spec = job_file::parse_job(out.toml, "job.toml");
  out.spec = std::move(spec).value();
  return out;
}

}  // namespace frenzy::simulation
