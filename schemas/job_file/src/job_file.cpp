#include "frenzy/job_file/job_file.hpp"

#include "document.hpp"
#include "placement_keys.hpp"
#include "sections.hpp"
#include "table_reader.hpp"

#include "frenzy/base/text.hpp"

#include <algorithm>
#include <filesystem>

namespace frenzy::job_file {
namespace {

constexpr std::uint32_t kByteTokens = 256;

bool is_name(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= 64 && is_plain(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_plain(c) || c == '.' || c == '_' || c == '-'; });
}

void read_name(TableReader& root, model::JobSpec& job) {
  if (root.entry("name") == nullptr) root.missing("name", "what lists and logs call the job");
  const auto name = root.string("name");
  if (!name) return;
  job.name = *name;
  if (!is_name(*name)) {
    root.wrong_kind(*root.entry("name"),
                    "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit");
  }
}

void check_sizes(TableReader& root, const model::JobSpec& job) {
  const auto model = root.table("model");
  const auto train = root.table("train");
  if (job.recipe.sequence > job.model.positions && job.model.positions > 0) {
    root.invalid(train.place_of("seq_len"),
                 format("train.seq_len {} is longer than the model's {} positions",
                        job.recipe.sequence, job.model.positions));
  }
  if (job.data.tokenizer == model::TokenizerKind::bytes && job.model.vocabulary > 0 &&
      job.model.vocabulary < kByteTokens) {
    root.invalid(model.place_of("vocabulary"),
                 format("model.vocabulary {} is smaller than a token id: bytes are {} tokens",
                        job.model.vocabulary, kByteTokens));
  }
}

model::JobSpec read_sections(TableReader& root) {
  model::JobSpec job;
  read_name(root, job);
  job.model = read_model(root.table("model"));
  job.data = read_data(root.table("data"));
  job.recipe = read_train(root.table("train"));
  job.eval = read_eval(root.table("eval"));
  job.checkpoint = read_checkpoint(root.table("checkpoint"));
  read_job(root.table("job"), job);
  root.refuse_unknown();
  check_sizes(root, job);
  return job;
}

std::string joined_path(const std::filesystem::path& folder, const std::string& path) {
  return path.empty() ? path : (folder / path).lexically_normal().string();
}

}  // namespace

Result<model::JobSpec> parse_job(std::string_view text, std::string_view file_name,
                                 std::span<const std::string> overrides) {
  auto document = parse_document(text, file_name);
  if (!document) return document.error();
  for (const auto& assignment : overrides) {
    if (const auto done = apply_override(*document, assignment); !done) return done.error();
  }
  if (const auto free = refuse_placement(*document); !free) return free.error();

  Problems problems;
  TableReader root(&*document, {std::string(file_name)}, "", problems);
  auto job = read_sections(root);
  if (problems.first()) return *problems.first();
  if (const auto model = model::validated(job.model); !model) return at(file_name, model.error());
  if (const auto recipe = model::validated(job.recipe); !recipe)
    return at(file_name, recipe.error());
  return job;
}

model::JobSpec resolved(model::JobSpec job, std::string_view job_file_path) {
  const auto folder = std::filesystem::path(job_file_path).parent_path();
  for (auto* sources : {&job.data.sources, &job.eval.sources}) {
    for (auto& source : *sources) source.path = joined_path(folder, source.path);
  }
  job.data.tokenizer_path = joined_path(folder, job.data.tokenizer_path);
  return job;
}

}  // namespace frenzy::job_file
