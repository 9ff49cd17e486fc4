// new, submit.
#include <algorithm>

#include "frenzy/cli/human.hpp"
#include "frenzy/cli/job_text.hpp"
#include "frenzy/cli/json_writer.hpp"
#include "frenzy/cli/upload.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "verbs.hpp"

namespace frenzy::cli {
namespace {

/// The job's text and the names of its data, read and checked without a coordinator.
Result<codec::SubmitJob> prepared(const Context& context, const command::Submit& verb) {
  const auto text = context.files->read_text(verb.file, Bytes{job_file::kLongestText});
  if (!text) return text.error();
  auto parsed = job_file::parse_job(*text, verb.file, verb.overrides);
  if (!parsed) return parsed.error();
  auto job = job_file::resolved(std::move(*parsed), verb.file);
  codec::SubmitJob out;
  for (auto& source : job.data.sources) {
    auto manifest = manifest_of(*context.files, *context.hashing, source.path);
    if (!manifest) return at("data", manifest.error());
    if (job.data.tokenizer == model::TokenizerKind::bytes && manifest->size.value <= job.recipe.sequence) {
      return error(Errc::invalid_argument, "data: {} has {} tokens, one sequence of {} needs {}", source.path,
                   manifest->size.value, job.recipe.sequence, job.recipe.sequence + 1);
    }
    source.digest = manifest->digest;
    out.data.push_back(std::move(*manifest));
  }
  out.job = JobId::random(*context.rng);
  out.toml = job_file::to_toml(job);
  return out;
}

/// Redrawn on a terminal; elsewhere one line when all is there.
Status upload(const Context& context, Coordinator& coordinator, const model::DataManifest& manifest) {
  const bool redraws = context.errors.medium == Medium::terminal;
  Bytes total{};
  const auto sent = send_missing(coordinator, *context.files, *context.hashing, manifest, [&](Bytes done, Bytes of) {
    total = of;
    if (!redraws) return;
    const auto line = format("sending {}: {} of {}", clean(manifest.path), done, of);
    context.console->err("\r" + fitted(line, context.errors.width - 1, context.errors.glyphs) + "\x1b[K");
  });
  if (total.value == 0) return sent;
  context.console->err(redraws ? "\n" : format("{} sent {}: {}\n", time_text(context.clock->wall()), clean(manifest.path), total));
  return sent;
}

/// The same id is sent again if no answer came: that never makes two jobs.
Result<codec::JobAccepted> send_job(Coordinator& coordinator, const codec::SubmitJob& submission) {
  auto accepted = coordinator.ask_for<codec::JobAccepted>(submission);
  if (!accepted && accepted.error().code == Errc::timed_out) accepted = coordinator.ask_for<codec::JobAccepted>(submission);
  return accepted;
}

/// Waits for the planner's word: planned, waits, or does not fit. It is the second entry of a job's
/// history, after its acceptance.
Status await_verdict(Coordinator& coordinator, const std::string& job) {
  std::size_t entries = 0;
  return coordinator.watch({.job = job, .from = kNoRows, .follow = true}, [&](const codec::JobUpdate& update) {
    entries += update.changes.size();
    return entries > 1 ? Watching::enough : Watching::on;
  });
}

/// The planner's verdict, and what each device was given if there is a plan.
ExitCode print_plan(const Context& context, Coordinator& coordinator, const std::string& job) {
  if (const auto told = await_verdict(coordinator, job); !told) {
    if (told.error().code == Errc::cancelled) return detached(context, job);
    return complain(context, at("submitted, but", told.error()));
  }
  const auto detail = coordinator.ask_for<codec::JobDetail>(codec::ShowJob{job});
  if (!detail) return complain(context, at("submitted, but", detail.error()));
  const auto& summary = detail->job.summary;
  if (summary.failure) {
    static_cast<void>(complain(context, {*summary.failure, format("the job has failed: {}", summary.reason)}));
    return exit_code(summary);
  }
  if (context.format == Format::text) {
    context.console->out(format("{}: {}\n", model::name_of(summary.state), clean(summary.reason)));
    context.console->out(shares_text(detail->job, context.surface));
  }
  return exit_code(summary);
}

void print_id(const Context& context, const std::string& id) {
  if (context.format == Format::text) return context.console->out(id + '\n');
  JsonWriter json;
  json.begin_object().field("id", id).end_object();
  context.console->out(json.text() + '\n');
}

}  // namespace

ExitCode do_verb(const Context& context, const command::Submit& verb) {
  const auto submission = prepared(context, verb);
  if (!submission) return complain(context, submission.error());
  auto coordinator = context.connect();
  if (!coordinator) return complain(context, coordinator.error());
  for (const auto& manifest : submission->data) {
    if (auto sent = upload(context, **coordinator, manifest); !sent) return complain(context, sent.error());
  }
  const auto accepted = send_job(**coordinator, *submission);
  if (!accepted) return complain(context, accepted.error());
  const auto id = format("{}", accepted->job);
  print_id(context, id);
  if (verb.wait) return follow(context, **coordinator, id);
  return print_plan(context, **coordinator, id);
}

ExitCode do_verb(const Context& context, const command::New& verb) {
  const auto text = job_file::job_template(verb.preset);
  if (!text) return complain(context, text.error());
  if (verb.file.empty()) {
    context.console->out(*text);
    return ExitCode::ok;
  }
  if (context.files->exists(verb.file)) {
    return complain(context, error(Errc::conflict, "{} exists already; it was left as it is", verb.file));
  }
  if (auto written = context.files->write_text(verb.file, *text, FileMode::shared); !written) return complain(context, written.error());
  context.console->out(format("wrote {}; `frenzy submit {}` starts it\n", verb.file, verb.file));
  return ExitCode::ok;
}

}  // namespace frenzy::cli
