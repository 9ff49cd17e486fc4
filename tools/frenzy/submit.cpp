#include <cstdio>

#include "frenzy/base/rng.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "manifests.hpp"
#include "verbs.hpp"

namespace frenzy::tools {
namespace {

/// The job and its data, read and checked without the coordinator.
Result<codec::SubmitJob> prepared(Files& files, const SubmitOptions& options, std::string& name) {
  const auto text = files.read_text(options.file, Bytes{job_file::kLongestText});
  if (!text) return text.error();
  auto job = job_file::parse_job(*text, options.file, options.overrides);
  if (!job) return job.error();
  auto resolved = job_file::resolved(std::move(*job), options.file);
  const auto hashing = crypto::make_content_hashing();
  codec::SubmitJob out;
  for (auto& source : resolved.data.sources) {
    auto manifest = manifest_of(files, *hashing, source.path);
    if (!manifest) return manifest.error();
    if (resolved.data.tokenizer == model::TokenizerKind::bytes && manifest->size.value <= resolved.recipe.sequence) {
      return error(Errc::invalid_argument, "{} has {} tokens, one sequence needs {}", source.path, manifest->size.value,
                   resolved.recipe.sequence + 1);
    }
    source.digest = manifest->digest;
    out.data.push_back(std::move(*manifest));
  }
  Rng rng(seed_from_system());
  out.job = JobId::random(rng);
  out.toml = job_file::to_toml(resolved);
  name = resolved.name;
  return out;
}

}  // namespace

int submit(const Context& context, const SubmitOptions& options) {
  RealFiles files;
  std::string name;
  const auto submission = prepared(files, options, name);
  if (!submission) return complain(submission.error());
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  for (const auto& manifest : submission->data) {
    if (auto sent = send_missing(**connection, files, manifest); !sent) return complain(sent.error());
  }
  auto accepted = (*connection)->ask_for<codec::JobAccepted>(*submission);
  if (!accepted && accepted.error().code == Errc::timed_out) {
    accepted = (*connection)->ask_for<codec::JobAccepted>(*submission);  // the same id: never two jobs
  }
  if (!accepted) return complain(accepted.error());
  const auto id = format("{}", accepted->job);
  std::printf("%s\n", context.format == Format::json ? format("{}\"id\": \"{}\", \"name\": \"{}\"{}", '{', id, name, '}').c_str()
                                                    : format("submitted {} as {}", name, id).c_str());
  std::fflush(stdout);
  return options.wait ? follow(**connection, context, id) : 0;
}

int new_job(const std::string& preset) {
  const auto text = job_file::job_template(preset);
  if (!text) return complain(text.error());
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace frenzy::tools
