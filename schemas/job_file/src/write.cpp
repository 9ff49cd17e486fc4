#include "frenzy/base/text.hpp"
#include "frenzy/job_file/job_file.hpp"

#include <array>
#include <charconv>

namespace frenzy::job_file {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00" + hex(std::span(&byte, 1));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Shortest digits that read back as the same double.
std::string exact(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string out(digits.data(), end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string_view name_of(model::DataFormat format) {
  switch (format) {
    case model::DataFormat::text:
      return "text";
    case model::DataFormat::jsonl:
      return "jsonl";
    case model::DataFormat::tokens_nanogpt:
      return "nanogpt";
    case model::DataFormat::tokens_llmc:
      return "llmc";
    case model::DataFormat::megatron:
      return "megatron";
  }
  return "unknown";
}

std::string_view name_of(model::Schedule schedule) {
  switch (schedule) {
    case model::Schedule::constant:
      return "constant";
    case model::Schedule::cosine:
      return "cosine";
    case model::Schedule::linear:
      return "linear";
  }
  return "unknown";
}

std::string source_keys(const model::DataSource& source) {
  auto out = format("path = {}\nformat = \"{}\"\nweight = {}\n", quoted(source.path),
                    name_of(source.format), exact(source.weight));
  if (source.digest) out += format("digest = \"{}\"\n", *source.digest);
  return out;
}

/// The keys of one source, or an array of tables.
std::string source_list(std::string_view section, std::span<const model::DataSource> sources) {
  if (sources.size() == 1) return source_keys(sources.front());
  std::string out;
  for (const auto& source : sources)
    out += format("[[{}.sources]]\n{}", section, source_keys(source));
  return out;
}

std::string model_section(const model::ModelSpec& m) {
  return format(
      "[model]\nfamily = \"gpt2\"\nlayers = {}\nhidden = {}\nheads = {}\nffn = {}\npositions = {}\n"
      "vocabulary = {}\ntying = \"{}\"\nnorm_epsilon = {}\n",
      m.layers, m.hidden, m.heads, m.ffn, m.positions, m.vocabulary,
      m.tying == model::Tying::tied ? "tied" : "untied", exact(m.norm_epsilon));
}

std::string train_section(const model::Recipe& r) {
  return format("[train]\nsteps = {}\nglobal_batch = {}\nseq_len = {}\n", r.steps, r.global_batch,
                r.sequence) +
         format("optimizer = \"{}\"\nlr = {}\nmin_lr = {}\nschedule = \"{}\"\nwarmup = {}\n",
                r.optimizer == model::OptimizerKind::adamw ? "adamw" : "sgd",
                exact(r.learning_rate), exact(r.minimum_rate), name_of(r.schedule), r.warmup) +
         format("betas = [{}, {}]\nepsilon = {}\nweight_decay = {}\nclip = {}\n", exact(r.beta1),
                exact(r.beta2), exact(r.epsilon), exact(r.weight_decay), exact(r.clip)) +
         format("precision = \"{}\"\ndropout = {}\nseed = {}\n", model::name_of(r.precision),
                exact(r.dropout), r.seed);
}

std::string eval_section(const model::EvalSpec& eval) {
  if (eval == model::EvalSpec{}) return {};
  return format("\n[eval]\nevery = {}\nbatch = {}\n", eval.every, eval.batch) +
         source_list("eval", eval.sources);
}

struct Suggestion {
  std::string_view preset;
  std::uint32_t batch;
  std::string_view lr, min_lr;
};

// Batch and rate: Brown et al. 2020, table 2.1, from small on; nanoGPT's character model below.
constexpr std::array<Suggestion, 6> kSuggestions{{{"gpt2-tiny", 24, "1e-3", "1e-4"},
                                                  {"gpt2-mini", 32, "1e-3", "1e-4"},
                                                  {"gpt2-small", 480, "6e-4", "6e-5"},
                                                  {"gpt2-medium", 480, "3e-4", "3e-5"},
                                                  {"gpt2-large", 480, "2.5e-4", "2.5e-5"},
                                                  {"gpt2-xl", 512, "2e-4", "2e-5"}}};

Suggestion suggestion_for(std::string_view preset) {
  for (const auto& row : kSuggestions) {
    if (row.preset == preset) return row;
  }
  return kSuggestions.back();
}

}  // namespace

std::string to_toml(const model::JobSpec& job) {
  const auto tokenizer =
      job.data.tokenizer == model::TokenizerKind::bytes ? "bytes" : job.data.tokenizer_path;
  return format("name = {}\n\n", quoted(job.name)) + model_section(job.model) +
         format("\n[data]\ntokenizer = {}\n", quoted(tokenizer)) +
         source_list("data", job.data.sources) + '\n' + train_section(job.recipe) +
         eval_section(job.eval) +
         format("\n[checkpoint]\nevery = {}\nkeep = {}\n", job.checkpoint.every,
                job.checkpoint.keep) +
         format("\n[job]\npriority = {}\nobjective = \"{}\"\nmax_restarts = {}\n", job.priority,
                job.objective == model::Objective::time ? "time" : "cost", job.max_restarts);
}

Result<std::string> job_template(std::string_view preset) {
  const auto spec = model::preset(preset);
  if (!spec) return spec.error();
  const auto rate = suggestion_for(preset);
  const auto vocabulary =
      spec->vocabulary == 256
          ? std::string("# vocabulary = 256         # one token a byte\n")
          : format("vocabulary = 256           # one token a byte; the preset has {}\n",
                   spec->vocabulary);
  return format(R"(# What to train. Devices are not named here: Frenzy picks them.
# Any key can be set on the command line too: frenzy submit job.toml -o train.steps=100

name = "{}"

[model]
preset = "{}"      # or: layers, hidden, heads, positions, vocabulary
{}# tying = "tied"           # "untied": the output projection has weights of its own

[data]
path = "data.txt"          # relative to this file
format = "text"
tokenizer = "bytes"

[train]
steps = 1000               # or: tokens = 100_000_000
global_batch = {}          # sequences a step, whatever devices there are
seq_len = {}               # tokens a sequence, at most the model's positions
)",
                preset, preset, vocabulary, rate.batch, spec->positions) +
         format(R"(optimizer = "adamw"        # or "sgd"
lr = {}                    # highest learning rate
min_lr = {}                # where the schedule ends
schedule = "cosine"        # or "linear", "constant"
warmup = 100               # steps
betas = [0.9, 0.95]
weight_decay = 0.1         # of matrices; biases and norms have none
clip = 1.0                 # global gradient norm; 0 = off
precision = "fp32"         # or "fp64"
seed = 1

[checkpoint]
every = 0                  # steps; 0 = at the end only
keep = 2

[job]
priority = 0               # -1000 to 1000; higher goes first
max_restarts = 3           # after errors; nodes that come and go do not count
)",
                rate.lr, rate.min_lr);
}

}  // namespace frenzy::job_file
