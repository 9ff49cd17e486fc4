// checkpoint: what a job saved, collected from its nodes; sampling from it; checking a directory.
#include <cstdio>

#include "frenzy/base/text.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "frenzy/executor/checkpoint/directory.hpp"
#include "frenzy/executor/checkpoint/huggingface.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/executor/generate.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "frenzy/tools/paths.hpp"
#include "verbs.hpp"

namespace frenzy::tools {
namespace {

namespace checkpoint = executor::checkpoint;

/// One piece from its node into `directory`, unless it is there; its digest is compared.
Status fetch_piece(Connection& connection, Files& files, const ContentHashing& hashing, const std::string& directory,
                   const model::SavedPiece& piece) {
  const auto path = checkpoint::piece_path(directory, piece.digest);
  if (files.exists(path)) return {};
  auto file = files.create(path, FileMode::shared);
  if (!file) return file.error();
  const auto hasher = hashing.start();
  for (std::uint64_t at = 0; at < piece.size.value;) {
    const auto part = connection.ask_for<codec::Chunk>(codec::GetChunk{
        .digest = piece.digest, .offset = Bytes{at}, .size = static_cast<std::uint32_t>(codec::kMaxChunk), .node = piece.node});
    if (!part) return part.error();
    if (part->bytes.empty()) return error(Errc::corrupt, "piece {} ends at {} of {}", piece.digest, Bytes{at}, piece.size);
    hasher->update(part->bytes);
    if (auto done = (*file)->append(part->bytes); !done) return done;
    at += part->bytes.size();
  }
  if (hasher->finish() != piece.digest) return error(Errc::corrupt, "piece {} came with other bytes", piece.digest);
  return (*file)->commit();
}

/// The newest save of a job as a checkpoint in `directory`.
Result<Step> fetch(Connection& connection, Files& files, const ContentHashing& hashing, const std::string& job,
                   const std::string& directory) {
  const auto saved = connection.ask_for<codec::Checkpoint>(codec::GetCheckpoint{job});
  if (!saved) return saved.error();
  const auto spec = job_file::parse_job(saved->toml, "job.toml");
  if (!spec) return spec.error();
  if (auto made = files.make_directory(directory + "/pieces"); !made) return made.error();
  checkpoint::Manifest manifest;
  manifest.job = saved->job;
  manifest.step = saved->step;
  manifest.samples = saved->step.value * spec->recipe.global_batch;
  manifest.model = spec->model;
  manifest.recipe = checkpoint::recipe_fingerprint(spec->recipe);
  for (const auto& piece : saved->pieces) {
    if (auto got = fetch_piece(connection, files, hashing, directory, piece); !got) return got.error();
    manifest.pieces.push_back({.spec = {piece.block, piece.field, piece.elements, spec->recipe.precision}, .digest = piece.digest, .bytes = piece.size});
  }
  if (auto written = checkpoint::write_manifest(files, hashing, directory, manifest); !written) return written.error();
  return saved->step;
}

std::vector<std::int32_t> byte_tokens(const std::string& text) {
  std::vector<std::int32_t> out;
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  return out;
}

}  // namespace

int export_checkpoint(const Context& context, const std::string& job, const std::string& directory) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  RealFiles files;
  const auto hashing = crypto::make_content_hashing();
  const auto step = fetch(**connection, files, *hashing, job, directory);
  if (!step) return complain(step.error());
  auto reader = checkpoint::CheckpointReader::open(files, *hashing, directory, *step);
  if (!reader) return complain(reader.error());
  if (auto written = checkpoint::export_huggingface(files, *reader, directory); !written) return complain(written.error());
  std::printf("%s\n", format("step {} of {} in {}: model.safetensors and config.json for transformers, pieces for frenzy",
                             *step, job, directory).c_str());
  return 0;
}

int sample_checkpoint(const Context& context, const SampleOptions& options) {
  auto connection = Connection::open(context.where, *context.clock, *context.log);
  if (!connection) return complain(connection.error());
  RealFiles files;
  const auto hashing = crypto::make_content_hashing();
  const auto directory = format("{}/samples/{}", state_root(), printable(options.job, 64));
  const auto step = fetch(**connection, files, *hashing, options.job, directory);
  if (!step) return complain(step.error());
  auto reader = checkpoint::CheckpointReader::open(files, *hashing, directory, *step);
  if (!reader) return complain(reader.error());
  const auto scalar = checkpoint::scalar_of(reader->manifest());
  const auto kernels = executor::cpu::make_kernels(reader->manifest().model, scalar, {});
  if (kernels == nullptr) return complain(error(Errc::unsupported, "the CPU has no kernels for {}", model::name_of(scalar)));
  std::fputs(cli::clean(options.prompt).c_str(), stdout);
  const auto status = executor::generate(
      *reader, *kernels, byte_tokens(options.prompt),
      {.tokens = options.tokens, .temperature = options.temperature, .seed = options.seed}, [](std::int32_t token) {
        const bool shown = token == '\n' || (token >= ' ' && token < 127);
        std::fputc(shown ? token : '?', stdout);
        std::fflush(stdout);
      });
  std::fputc('\n', stdout);
  return status ? 0 : complain(status.error());
}

int verify_checkpoint(const std::string& directory) {
  RealFiles files;
  const auto hashing = crypto::make_content_hashing();
  const auto verified = checkpoint::verify(files, *hashing, directory, checkpoint::Missing::is_a_problem);
  if (!verified) return complain(verified.error());
  for (const auto& problem : verified->problems) std::printf("%s\n", problem.c_str());
  std::printf("%s\n", format("{} checkpoints, {} pieces, {} read; {} problems", verified->checkpoints, verified->pieces, verified->bytes,
                             verified->problems.size()).c_str());
  return verified->problems.empty() ? 0 : 1;
}

}  // namespace frenzy::tools
