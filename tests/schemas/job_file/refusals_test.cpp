#include "frenzy/base/text.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "small_job.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace frenzy;
using namespace frenzy::job_file;

namespace {

const std::string kGood{kSmallJob};

struct Row {
  std::string from, to;  ///< what to replace in kGood
  std::string what;      ///< the message begins so
};

std::string replaced(const Row& row) {
  auto text = kGood;
  const auto at = text.find(row.from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, row.from.size(), row.to);
}

Error refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto job = parse_job(text, "job.toml", overrides);
  INFO(text);
  REQUIRE_FALSE(job.ok());
  return job.error();
}

void check_all(Errc code, const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    const auto failure = refusal(replaced(row));
    INFO(row.to << "\n  " << failure.what << "\n  " << row.what);
    CHECK(failure.code == code);
    CHECK(failure.what.starts_with(row.what));
  }
}

const std::vector<Row> kWrongValues{
    {"steps = 120", "steps = 1e3",
     "job.toml:7:9: train.steps must be an integer from 1 to 1099511627776, found 1000"},
    {"steps = 120", "steps = \"many\"",
     "job.toml:7:9: train.steps must be an integer from 1 to 1099511627776, found the string "
     "\"many\""},
    {"steps = 120", "steps = 0", "job.toml:7:9: train.steps must be an integer from 1"},
    {"steps = 120", "steps = -5", "job.toml:7:9: train.steps must be"},
    {"steps = 120", "steps = true",
     "job.toml:7:9: train.steps must be an integer from 1 to 1099511627776, found a boolean"},
    {"lr = 1e-3", "lr = nan", "job.toml:10:6: train.lr must be a number from 0 to 1000, found nan"},
    {"lr = 1e-3", "lr = -1", "job.toml:10:6: train.lr must be a number from 0 to 1000, found -1"},
    {"lr = 1e-3", "lr = 1e-3\nmin_lr = 2e-3",
     "job.toml:11:10: train.min_lr 0.002 is above train.lr 0.001"},
    {"lr = 1e-3", "lr = 1e-3\nwarmup = 121",
     "job.toml:11:10: train.warmup 121 is longer than the 120 steps"},
    {"lr = 1e-3", "lr = 1e-3\nbetas = [0.9]", "job.toml:11:9: train.betas must be two numbers"},
    {"lr = 1e-3", "lr = 1e-3\nbetas = [0.9, 1.5]",
     "job.toml:11:9: train.betas must be two numbers"},
    {"lr = 1e-3", "lr = 1e-3\nschedule = 'cosin'",
     "job.toml:11:12: train.schedule must be one of constant, cosine, linear, found the string "
     "\"cosin\""},
    {"lr = 1e-3", "lr = 1e-3\ntokens = 5",
     "job.toml:11:1: give train.steps or train.tokens, not both"},
    {"lr = 1e-3", "lr = 1e-3\nseed = -1", "job.toml:11:8: train.seed must be"},
    {"name = \"kjv\"", "name = \"a b\"", "job.toml:1:8: name must be 1 to 64 letters"},
    {"name = \"kjv\"", "name = \"\"", "job.toml:1:8: name must be"},
    {"name = \"kjv\"", "name = 3", "job.toml:1:8: name must be a string, found 3"},
    {"[data]\npath", "data = 3\n#", "job.toml:4:1: "},
    {"gpt2-tiny", "gpt2-tinny",
     "job.toml:3:10: no model preset 'gpt2-tinny' (did you mean 'gpt2-tiny'?)"},
    {"bible.txt", "", "job.toml:5:8: data.path is not a path"},
    {"path = \"bible.txt\"", "sources = []", "job.toml:5:1"},
    {"path = \"bible.txt\"", "sources = [3]",
     "job.toml:5:12: data.sources must be a list of tables or paths, found 3"},
    {"path = \"bible.txt\"", "path = 'a'\nsources = ['a']",
     "job.toml:6:1: give data.path or data.sources, not both"},
    {"path = \"bible.txt\"", "path = 'a'\ntokenizer = 'words'",
     "job.toml:6:13: data.tokenizer must be \"bytes\" or a path"},
    {"lr = 1e-3", "lr = 1e-3\n[checkpoint]\nkeep = 0", "job.toml:12:8: checkpoint.keep must be"}};

const std::vector<Row> kNotYet{
    {"preset = \"gpt2-tiny\"", "from = \"gpt2/\"",
     "job.toml:3:1: [model] from: importing checkpoints does not work yet"},
    {"gpt2-tiny", "llama-tiny", "job.toml:3:10: [model] preset: llama models do not work yet"},
    {"gpt2-tiny\"", "gpt2-tiny\"\nfamily = \"llama\"",
     "job.toml:4:1: [model] family: \"llama\" does not work yet; what works: gpt2"},
    {"bible.txt\"", "bible.jsonl\"\nformat = \"jsonl\"",
     "job.toml:6:1: [data] format: \"jsonl\" does not work yet; what works: text"},
    {"bible.txt\"", "a.bin\"\nformat = \"nanogpt\"",
     "job.toml:6:1: [data] format: \"nanogpt\" does not"},
    {"bible.txt\"", "a.bin\"\nformat = \"megatron\"",
     "job.toml:6:1: [data] format: \"megatron\" does not"},
    {"bible.txt\"", "a.txt\"\ntokenizer = \"tok/tokenizer.json\"",
     "job.toml:6:1: [data] tokenizer: Hugging Face tokenizers do not work yet"},
    {"bible.txt\"", "a.txt\"\ntokenizer = \"sp.model\"",
     "job.toml:6:1: [data] tokenizer: sentencepiece tokenizers do not work yet"},
    {"path = \"bible.txt\"", "sources = ['a', 'b']",
     "job.toml:5:1: [data] sources: mixing 2 sources does not work yet"},
    {"lr = 1e-3", "lr = 1e-3\nprecision = \"bf16\"",
     "job.toml:11:1: [train] precision: \"bf16\" does not work yet; what works: fp32, fp64"},
    {"lr = 1e-3", "lr = 1e-3\nprecision = \"fp16\"",
     "job.toml:11:1: [train] precision: \"fp16\" does not"},
    {"lr = 1e-3", "lr = 1e-3\ndropout = 0.1",
     "job.toml:11:1: [train] dropout: a dropout above 0 does not work yet"},
    {"lr = 1e-3", "lr = 1e-3\ntrainable = ['h.0']", "job.toml:11:1: [train] trainable: "},
    {"lr = 1e-3", "lr = 1e-3\n[eval]\nevery = 10\npath = 'v.txt'",
     "job.toml:11:2: [eval]: evaluation during training does not work yet"},
    {"lr = 1e-3", "lr = 1e-3\n[job]\ndeadline = 2026-12-01T00:00:00Z",
     "job.toml:12:1: [job] deadline: deadlines do not work yet"},
    {"lr = 1e-3", "lr = 1e-3\n[job]\nobjective = \"cost\"",
     "job.toml:12:1: [job] objective: \"cost\" does not work yet; what works: time"}};

}  // namespace

TEST_CASE("an unknown key is named with its place and the nearest one", "[job_file]") {
  check_all(
      Errc::invalid_argument,
      {{"steps = 120", "setps = 120",
        "job.toml:7:1: unknown key 'setps' in [train]; did you mean 'steps'?"},
       {"lr = 1e-3", "learning_rate = 1e-3",
        "job.toml:10:1: unknown key 'learning_rate' in [train]; its keys: "},
       {"[train]", "[trian]",
        "job.toml:6:2: unknown key 'trian' in the job file; did you mean 'train'?"},
       {"preset", "prest", "job.toml:3:1: unknown key 'prest' in [model]; did you mean 'preset'?"},
       {"path = \"bible.txt\"", "sources = [{path = \"a\", wieght = 2}]",
        "job.toml:5:25: unknown key 'wieght' in [data.sources]; did you mean 'weight'?"},
       {"lr = 1e-3", "lr = 1e-3\n[chekpoint]\nkeep = 1",
        "job.toml:11:2: unknown key 'chekpoint' in the job file; did you mean 'checkpoint'?"}});
}

TEST_CASE("a wrong type or value says what was expected and what was found", "[job_file]") {
  check_all(Errc::invalid_argument, kWrongValues);
}

TEST_CASE("text that is not TOML is refused with its place", "[job_file]") {
  check_all(Errc::invalid_argument, {{"steps = 120", "steps = ", "job.toml:7:"},
                                     {"lr = 1e-3", "lr = 1e-3\nlr = 2", "job.toml:11:"},
                                     {"[train]", "[train", "job.toml:6:"},
                                     {"kjv", "kj\xff", "job.toml:1:"}});
  CHECK(refusal(std::string(kLongestText + 1, '#')).what ==
        "job.toml: 65537 bytes, a job file has at most 65536");
}

TEST_CASE("what is missing is said with what it is for", "[job_file]") {
  check_all(
      Errc::invalid_argument,
      {{"name = \"kjv\"", "",
        "job.toml: the job file needs 'name': what lists and logs call the job"},
       {"steps = 120", "", "job.toml:6:2: [train] needs 'steps': how long to train (or 'tokens')"},
       {"global_batch = 24", "", "job.toml:6:2: [train] needs 'global_batch'"},
       {"lr = 1e-3", "", "job.toml:6:2: [train] needs 'lr'"},
       {"path = \"bible.txt\"", "", "job.toml:4:2: [data] needs 'path': the text to train on"},
       {"preset = \"gpt2-tiny\"", "layers = 2\nhidden = 8\npositions = 64\nvocabulary = 256",
        "job.toml:2:2: [model] needs 'heads': name a preset"}});
  CHECK(refusal("").what ==
        "job.toml: the job file needs 'name': what lists and logs call the job");
}

TEST_CASE("sizes that contradict each other are refused where they stand", "[job_file]") {
  check_all(
      Errc::invalid_argument,
      {{"seq_len = 64", "seq_len = 257",
        "job.toml:9:11: train.seq_len 257 is longer than the model's 256 positions"},
       {"gpt2-tiny\"", "gpt2-tiny\"\nvocabulary = 255",
        "job.toml:4:14: model.vocabulary 255 is smaller than a token id: bytes are 256 tokens"},
       {"gpt2-tiny\"", "gpt2-tiny\"\nheads = 3",
        "job.toml:4:9: model.hidden 64 is not a multiple of model.heads 3"}});
}

TEST_CASE("a number of devices is refused anywhere, with the reason", "[job_file]") {
  for (const std::string key : {"gpus",
                                "num_gpus",
                                "n_gpus",
                                "gpu_count",
                                "GPUs",
                                "devices",
                                "device",
                                "num-devices",
                                "nodes",
                                "num_nodes",
                                "nnodes",
                                "nproc_per_node",
                                "gpus_per_node",
                                "world_size",
                                "workers",
                                "max_workers",
                                "tensor_parallel",
                                "tensor_parallel_size",
                                "tensor_model_parallel_size",
                                "pipeline_parallel",
                                "data_parallel_size",
                                "tp",
                                "pp_size",
                                "micro_batch_size",
                                "gradient_accumulation_steps"}) {
    for (const std::string place : {"lr = 1e-3", "lr = 1e-3\n[job]", "lr = 1e-3\n[resources]"}) {
      const auto failure = refusal(replaced({"lr = 1e-3", place + "\n" + key + " = 4", ""}));
      INFO(key << ": " << failure.what);
      CHECK(failure.code == Errc::invalid_argument);
      CHECK(failure.what.find("'" + key + "' does not belong in a job file: Frenzy ") !=
            std::string::npos);
    }
  }
  CHECK(
      refusal(kGood, {"train.gpus=4"}).what ==
      "-o train.gpus=4: 'gpus' does not belong in a job file: Frenzy picks the devices: a job says "
      "what to train, and runs on whatever fits");
}

TEST_CASE("what does not work yet is refused by name", "[job_file]") {
  check_all(Errc::unsupported, kNotYet);
}

TEST_CASE("overrides are checked like the file and named in the error", "[job_file]") {
  struct Override {
    std::string text, what;
  };
  for (const auto& row : std::vector<Override>{
           {"train.steps=x",
            "-o train.steps=x: train.steps must be an integer from 1 to 1099511627776, found the "
            "string \"x\""},
           {"train.stpes=5",
            "-o train.stpes=5: unknown key 'stpes' in [train]; did you mean 'steps'?"},
           {"train.seq_len=512",
            "-o train.seq_len=512: train.seq_len 512 is longer than the model's 256 positions"},
           {"train.steps", "-o train.steps: expected key=value"},
           {"=5", "-o =5: expected key=value"},
           {"train..steps=5", "-o train..steps=5: expected key=value"},
           {"name.first=5", "-o name.first=5: 'name' is a string, it has no keys"},
           {"train=5", "-o train=5: train must be a table, found 5"},
           {"name=a\nb=c", "-o name=a.b=c: the value must be one short line"},
           {"train.dropout=0.5", "-o train.dropout=0.5: [train] dropout: a dropout above 0"}}) {
    const auto failure = refusal(kGood, {row.text});
    INFO(failure.what);
    CHECK(failure.what.starts_with(row.what));
  }
}

TEST_CASE("the problem that stands first is reported, overrides after the file", "[job_file]") {
  const auto text = replaced({"seq_len = 64", "seqlen = 64\nwarmup = -1", ""});
  CHECK(refusal(text, {"train.clip=-1"}).what.starts_with("job.toml:9:1: unknown key 'seqlen'"));
  CHECK(refusal(kGood, {"train.clip=-1"}).what.starts_with("-o train.clip=-1: train.clip must be"));
}
