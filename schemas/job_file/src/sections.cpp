#include "sections.hpp"

#include "frenzy/base/text.hpp"

#include <algorithm>
#include <utility>

namespace frenzy::job_file {
namespace {

using model::DataFormat;
using model::Family;
using model::OptimizerKind;
using model::Scalar;
using model::Schedule;
using model::TokenizerKind;
using model::Tying;

constexpr std::int64_t kLargestSize = 1 << 24;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 60;
constexpr std::int64_t kLargestBatch = 1 << 20;
constexpr std::int64_t kLongestSequence = 1 << 20;

constexpr Choice<Family> kFamilies[] = {{"gpt2", Family::gpt2},
                                        {"llama", Family::gpt2, Works::not_yet}};
constexpr Choice<Tying> kTyings[] = {{"tied", Tying::tied}, {"untied", Tying::untied}};
constexpr Choice<DataFormat> kFormats[] = {{"text", DataFormat::text},
                                           {"jsonl", DataFormat::jsonl, Works::not_yet},
                                           {"nanogpt", DataFormat::tokens_nanogpt, Works::not_yet},
                                           {"llmc", DataFormat::tokens_llmc, Works::not_yet},
                                           {"megatron", DataFormat::megatron, Works::not_yet}};
constexpr Choice<Schedule> kSchedules[] = {
    {"constant", Schedule::constant}, {"cosine", Schedule::cosine}, {"linear", Schedule::linear}};
constexpr Choice<OptimizerKind> kOptimizers[] = {{"adamw", OptimizerKind::adamw},
                                                 {"sgd", OptimizerKind::sgd}};
constexpr Choice<Scalar> kPrecisions[] = {{"fp32", Scalar::fp32},
                                          {"fp64", Scalar::fp64},
                                          {"bf16", Scalar::bf16, Works::not_yet},
                                          {"fp16", Scalar::fp16, Works::not_yet}};
constexpr Choice<model::Objective> kObjectives[] = {
    {"time", model::Objective::time}, {"cost", model::Objective::cost, Works::not_yet}};

/// Fills `spec` from the preset; true if one was named, rightly or not.
bool read_preset(TableReader& reader, model::ModelSpec& spec) {
  const auto name = reader.string("preset");
  if (!name) return reader.entry("preset") != nullptr;
  const auto place = reader.place_of("preset");
  if (name->starts_with("llama")) {
    reader.problems().add(place, Errc::unsupported, "[model] preset: llama models do not work yet");
    return true;
  }
  const auto preset = model::preset(*name);
  if (preset) {
    spec = *preset;
  } else {
    reader.invalid(place, preset.error().what);
  }
  return true;
}

void require_sizes(TableReader& reader, const model::ModelSpec& spec) {
  const std::pair<std::string_view, std::uint32_t> sizes[] = {{"layers", spec.layers},
                                                              {"hidden", spec.hidden},
                                                              {"heads", spec.heads},
                                                              {"positions", spec.positions},
                                                              {"vocabulary", spec.vocabulary}};
  for (const auto& [key, value] : sizes) {
    if (value == 0) {
      reader.missing(key, "name a preset, or give layers, hidden, heads, positions and vocabulary");
    }
  }
}

void check_path(TableReader& reader, const Place& place, const std::string& path) {
  if (!path.empty() && path.find('\0') == std::string::npos) return;
  reader.invalid(place, format("{} is not a path", reader.full_name("path")));
}

std::optional<model::DataSource> read_source(TableReader& reader) {
  model::DataSource source;
  const auto path = reader.string("path");
  if (path) {
    source.path = *path;
    check_path(reader, reader.place_of("path"), *path);
  }
  if (const auto format_kind = reader.choice("format", kFormats)) source.format = *format_kind;
  reader.real_into(source.weight, "weight", 1e-9, 1e9);
  if (const auto text = reader.string("digest")) {
    const auto digest = ContentDigest::parse(*text);
    if (digest) {
      source.digest = *digest;
    } else {
      reader.invalid(reader.place_of("digest"), digest.error().what);
    }
  }
  return path ? std::optional(source) : std::nullopt;
}

void read_source_list(TableReader& reader, const Entry& list,
                      std::vector<model::DataSource>& sources) {
  if (list.value.kind != Kind::array || list.value.items.empty()) {
    reader.wrong_kind(list, "an array of tables with at least one source");
    return;
  }
  for (const auto& item : list.value.items) {
    if (item.kind == Kind::string) {
      check_path(reader, item.place, item.string);
      sources.emplace_back().path = item.string;
      continue;
    }
    if (item.kind != Kind::table) {
      reader.wrong_kind({list.key, list.place, item}, "a list of tables or paths");
      continue;
    }
    TableReader inner(&item, item.place, "data.sources", reader.problems());
    if (auto source = read_source(inner)) {
      sources.push_back(std::move(*source));
    } else {
      inner.missing("path", "the file to train on");
    }
    inner.refuse_unknown();
  }
}

/// `path` and its companions, or `sources`.
std::vector<model::DataSource> read_sources(TableReader& reader) {
  std::vector<model::DataSource> sources;
  const auto single = read_source(reader);
  const auto* list = reader.entry("sources");
  if (single) sources.push_back(*single);
  if (list == nullptr) return sources;
  if (single) {
    reader.invalid(list->place, format("give {} or {}, not both", reader.full_name("path"),
                                       reader.full_name("sources")));
  }
  read_source_list(reader, *list, sources);
  return sources;
}

void read_tokenizer(TableReader& reader, model::DataSpec& data) {
  const auto name = reader.string("tokenizer");
  if (!name || *name == "bytes") return;
  const auto* entry = reader.entry("tokenizer");
  data.tokenizer_path = *name;
  if (name->ends_with(".json")) {
    data.tokenizer = TokenizerKind::huggingface;
    reader.unsupported(*entry, "Hugging Face tokenizers do not work yet; what works: bytes");
  } else if (name->ends_with(".model")) {
    data.tokenizer = TokenizerKind::sentencepiece;
    reader.unsupported(*entry, "sentencepiece tokenizers do not work yet; what works: bytes");
  } else {
    reader.wrong_kind(*entry, "\"bytes\" or a path to a tokenizer (.json, .model)");
  }
}

void read_length(TableReader& reader, model::Recipe& recipe) {
  reader.unsigned_into(recipe.steps, "steps", 1, kMostSteps);
  const auto tokens = reader.integer("tokens", 1, kMostTokens);
  const auto* both = reader.entry("steps");
  const auto* entry = reader.entry("tokens");
  if (both != nullptr && entry != nullptr) {
    reader.invalid(entry->place, "give train.steps or train.tokens, not both");
  } else if (both == nullptr && entry == nullptr) {
    reader.missing("steps", "how long to train (or 'tokens')");
  }
  const auto per_step = std::uint64_t{recipe.global_batch} * recipe.sequence;
  if (!tokens || per_step == 0) return;
  recipe.steps = (static_cast<std::uint64_t>(*tokens) + per_step - 1) / per_step;
  if (recipe.steps > static_cast<std::uint64_t>(kMostSteps)) {
    reader.invalid(entry->value.place, format("train.tokens {} is {} steps, the most is {}",
                                              *tokens, recipe.steps, kMostSteps));
  }
}

void read_betas(TableReader& reader, model::Recipe& recipe) {
  const auto* betas = reader.entry("betas");
  if (betas == nullptr) return;
  std::vector<double> numbers;
  for (const auto& item : betas->value.items) {
    const auto number = item.kind == Kind::integer ? static_cast<double>(item.integer) : item.real;
    const bool is_number = item.kind == Kind::integer || item.kind == Kind::real;
    if (is_number && number >= 0.0 && number <= 0.999999) numbers.push_back(number);
  }
  if (numbers.size() != 2 || betas->value.items.size() != 2) {
    reader.wrong_kind(*betas, "two numbers from 0 to 0.999999, such as [0.9, 0.95]");
    return;
  }
  recipe.beta1 = numbers[0];
  recipe.beta2 = numbers[1];
}

void read_rates(TableReader& reader, model::Recipe& recipe) {
  reader.real_into(recipe.learning_rate, "lr", 0.0, 1e3);
  reader.real_into(recipe.minimum_rate, "min_lr", 0.0, 1e3);
  if (recipe.minimum_rate > recipe.learning_rate && reader.entry("lr") != nullptr) {
    reader.invalid(reader.place_of("min_lr"), format("train.min_lr {} is above train.lr {}",
                                                     recipe.minimum_rate, recipe.learning_rate));
  }
  if (reader.entry("lr") == nullptr) reader.missing("lr", "the highest learning rate");
  if (const auto schedule = reader.choice("schedule", kSchedules)) recipe.schedule = *schedule;
  reader.unsigned_into(recipe.warmup, "warmup", 0, kMostSteps);
  if (recipe.steps > 0 && recipe.warmup > recipe.steps) {
    reader.invalid(reader.place_of("warmup"), format("train.warmup {} is longer than the {} steps",
                                                     recipe.warmup, recipe.steps));
  }
}

void read_optimizer(TableReader& reader, model::Recipe& recipe) {
  if (const auto kind = reader.choice("optimizer", kOptimizers)) recipe.optimizer = *kind;
  read_betas(reader, recipe);
  reader.real_into(recipe.epsilon, "epsilon", 1e-30, 1.0);
  reader.real_into(recipe.weight_decay, "weight_decay", 0.0, 1e3);
  reader.real_into(recipe.clip, "clip", 0.0, 1e9);
}

}  // namespace

model::ModelSpec read_model(TableReader reader) {
  model::ModelSpec spec;
  const auto* from = reader.entry("from");
  if (from != nullptr) reader.unsupported(*from, "importing checkpoints does not work yet");
  const bool named = read_preset(reader, spec);
  if (const auto family = reader.choice("family", kFamilies)) spec.family = *family;
  if (reader.entry("hidden") != nullptr) spec.ffn = 0;
  const std::pair<std::string_view, std::uint32_t*> sizes[] = {
      {"layers", &spec.layers}, {"hidden", &spec.hidden},       {"heads", &spec.heads},
      {"ffn", &spec.ffn},       {"positions", &spec.positions}, {"vocabulary", &spec.vocabulary}};
  for (const auto& [key, value] : sizes) reader.unsigned_into(*value, key, 1, kLargestSize);
  if (const auto tying = reader.choice("tying", kTyings)) spec.tying = *tying;
  reader.real_into(spec.norm_epsilon, "norm_epsilon", 1e-12, 0.1);
  if (!named && from == nullptr) require_sizes(reader, spec);
  if (spec.heads > 0 && spec.hidden % spec.heads != 0) {
    reader.invalid(
        reader.place_of(reader.entry("heads") != nullptr ? "heads" : "hidden"),
        format("model.hidden {} is not a multiple of model.heads {}", spec.hidden, spec.heads));
  }
  if (spec.ffn == 0) spec.ffn = 4 * spec.hidden;
  reader.refuse_unknown();
  return spec;
}

model::DataSpec read_data(TableReader reader) {
  model::DataSpec data;
  data.sources = read_sources(reader);
  read_tokenizer(reader, data);
  if (data.sources.size() > 1) {
    const auto* list = reader.entry("sources");
    if (list != nullptr) {
      reader.unsupported(*list, format("mixing {} sources does not work yet; what works: one",
                                       data.sources.size()));
    }
  }
  if (data.sources.empty() && reader.entry("sources") == nullptr) {
    reader.missing("path", "the text to train on");
  }
  reader.refuse_unknown();
  return data;
}

model::Recipe read_train(TableReader reader) {
  model::Recipe recipe;
  reader.unsigned_into(recipe.global_batch, "global_batch", 1, kLargestBatch);
  reader.unsigned_into(recipe.sequence, "seq_len", 1, kLongestSequence);
  read_length(reader, recipe);
  if (reader.entry("global_batch") == nullptr) reader.missing("global_batch", "sequences a step");
  if (reader.entry("seq_len") == nullptr) reader.missing("seq_len", "tokens a sequence");
  read_rates(reader, recipe);
  read_optimizer(reader, recipe);
  if (const auto precision = reader.choice("precision", kPrecisions)) recipe.precision = *precision;
  reader.real_into(recipe.dropout, "dropout", 0.0, 0.999);
  if (recipe.dropout > 0.0) {
    reader.unsupported(*reader.entry("dropout"), "a dropout above 0 does not work yet");
  }
  reader.unsigned_into(recipe.seed, "seed", 0, INT64_MAX);
  if (const auto* trainable = reader.entry("trainable")) {
    reader.unsupported(*trainable, "training a part of the weights does not work yet");
  }
  reader.refuse_unknown();
  return recipe;
}

model::EvalSpec read_eval(TableReader reader) {
  model::EvalSpec eval;
  reader.unsigned_into(eval.every, "every", 0, kMostSteps);
  reader.unsigned_into(eval.batch, "batch", 0, kLargestBatch);
  eval.sources = read_sources(reader);
  if (eval != model::EvalSpec{}) {
    reader.problems().add(reader.place(), Errc::unsupported,
                          "[eval]: evaluation during training does not work yet");
  }
  reader.refuse_unknown();
  return eval;
}

model::CheckpointSpec read_checkpoint(TableReader reader) {
  model::CheckpointSpec checkpoint;
  reader.unsigned_into(checkpoint.every, "every", 0, kMostSteps);
  reader.unsigned_into(checkpoint.keep, "keep", 1, 1'000'000);
  reader.refuse_unknown();
  return checkpoint;
}

void read_job(TableReader reader, model::JobSpec& job) {
  if (const auto priority = reader.integer("priority", -1000, 1000)) {
    job.priority = static_cast<std::int32_t>(*priority);
  }
  if (const auto objective = reader.choice("objective", kObjectives)) job.objective = *objective;
  if (const auto* deadline = reader.entry("deadline")) {
    reader.unsupported(*deadline, "deadlines do not work yet");
  }
  reader.unsigned_into(job.max_restarts, "max_restarts", 0, 1000);
  reader.refuse_unknown();
}

}  // namespace frenzy::job_file
