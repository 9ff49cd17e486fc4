#include "frenzy/job_file/job_file.hpp"

#include "frenzy/base/rng.hpp"
#include "small_job.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace frenzy;
using namespace frenzy::job_file;

namespace {

constexpr std::string_view kWhole = R"(name = "every-key.v1"
[model]
family = "gpt2"
layers = 3
hidden = 96
heads = 4
ffn = 200
positions = 128
vocabulary = 300
tying = "untied"
norm_epsilon = 1e-6
[data]
sources = [{path = "a b.txt", format = "text", weight = 2}]
tokenizer = "bytes"
[train]
tokens = 1000
global_batch = 3
seq_len = 100
optimizer = "sgd"
lr = 1
min_lr = 0.25
schedule = "linear"
warmup = 4
betas = [0.8, 0]
epsilon = 1e-6
weight_decay = 0
clip = 0.5
precision = "fp64"
dropout = 0.0
seed = 9223372036854775807
[checkpoint]
every = 20
keep = 5
[job]
priority = -7
objective = "time"
max_restarts = 0
)";

model::JobSpec parsed(std::string_view text, const std::vector<std::string>& overrides = {}) {
  const auto job = parse_job(text, "job.toml", overrides);
  INFO((job.ok() ? std::string() : job.error().what));
  REQUIRE(job.ok());
  return *job;
}

template <class T>
T one_of(Rng& rng, std::initializer_list<T> values) {
  return values.begin()[rng.below(values.size())];
}

model::JobSpec random_job(Rng& rng) {
  model::JobSpec job;
  const auto small = [&] { return static_cast<std::uint32_t>(1 + rng.below(1000)); };
  job.name = format("job-{}.x_{}", rng.below(100), rng.below(100));
  const auto heads = small();
  job.model = {.layers = small(),
               .hidden = heads * static_cast<std::uint32_t>(1 + rng.below(64)),
               .heads = heads,
               .ffn = small(),
               .positions = small(),
               .vocabulary = 256 + small(),
               .tying = one_of(rng, {model::Tying::tied, model::Tying::untied}),
               .norm_epsilon = 1e-6 * (1 + rng.uniform())};
  auto& source = job.data.sources.emplace_back();
  source.path = format("/data/\"{}\"\\\t{}/\u00e9.txt", rng.next(), rng.next());
  source.weight = 0.1 + rng.uniform();
  if (rng.below(2) == 0) {
    ContentDigest digest;
    for (auto& byte : digest.bytes) byte = static_cast<std::uint8_t>(rng.below(256));
    source.digest = digest;
  }
  auto& r = job.recipe;
  r.steps = 1 + rng.below(1ULL << 40);
  r.global_batch = small();
  r.sequence = static_cast<std::uint32_t>(1 + rng.below(job.model.positions));
  r.optimizer = one_of(rng, {model::OptimizerKind::adamw, model::OptimizerKind::sgd});
  r.learning_rate = 1.0 + rng.uniform();
  r.minimum_rate = rng.uniform() * 1e-9;
  r.schedule =
      one_of(rng, {model::Schedule::constant, model::Schedule::cosine, model::Schedule::linear});
  r.warmup = rng.below(r.steps + 1);
  r.beta1 = rng.uniform() * 0.99;
  r.beta2 = rng.uniform() * 0.99;
  r.epsilon = rng.uniform() * 1e-3 + 1e-20;
  r.weight_decay = rng.uniform();
  r.clip = rng.uniform() * 1e6;
  r.precision = one_of(rng, {model::Scalar::fp32, model::Scalar::fp64});
  r.seed = rng.next() >> 1;
  job.checkpoint = {rng.below(100), small()};
  job.priority = static_cast<std::int32_t>(rng.below(2001)) - 1000;
  job.max_restarts = static_cast<std::uint32_t>(rng.below(1001));
  return job;
}

}  // namespace

TEST_CASE("a short job file gets the defaults of the recipe", "[job_file]") {
  const auto job = parsed(kSmallJob);
  model::JobSpec expected;
  expected.name = "kjv";
  expected.model = *model::preset("gpt2-tiny");
  expected.data.sources.emplace_back().path = "bible.txt";
  expected.recipe.steps = 120;
  expected.recipe.global_batch = 24;
  expected.recipe.sequence = 64;
  expected.recipe.learning_rate = 1e-3;
  CHECK(job == expected);
}

TEST_CASE("every key of the schema reaches its field", "[job_file]") {
  const auto job = parsed(kWhole);
  CHECK(job.name == "every-key.v1");
  CHECK(job.model == model::ModelSpec{.layers = 3,
                                      .hidden = 96,
                                      .heads = 4,
                                      .ffn = 200,
                                      .positions = 128,
                                      .vocabulary = 300,
                                      .tying = model::Tying::untied,
                                      .norm_epsilon = 1e-6});
  REQUIRE(job.data.sources.size() == 1);
  CHECK(job.data.sources[0].path == "a b.txt");
  CHECK(job.data.sources[0].weight == 2.0);
  CHECK(job.recipe == model::Recipe{.steps = 4,
                                    .global_batch = 3,
                                    .sequence = 100,
                                    .optimizer = model::OptimizerKind::sgd,
                                    .learning_rate = 1.0,
                                    .minimum_rate = 0.25,
                                    .schedule = model::Schedule::linear,
                                    .warmup = 4,
                                    .beta1 = 0.8,
                                    .beta2 = 0.0,
                                    .epsilon = 1e-6,
                                    .weight_decay = 0.0,
                                    .clip = 0.5,
                                    .precision = model::Scalar::fp64,
                                    .dropout = 0.0,
                                    .seed = INT64_MAX});
  CHECK(job.checkpoint == model::CheckpointSpec{20, 5});
  CHECK(job.priority == -7);
  CHECK(job.max_restarts == 0);
}

TEST_CASE("a preset's sizes can be changed one by one", "[job_file]") {
  auto job = parsed(kSmallJob, {"model.vocabulary=512", "model.hidden=128"});
  CHECK(job.model.vocabulary == 512);
  CHECK(job.model.hidden == 128);
  CHECK(job.model.ffn == 512);
  CHECK(job.model.layers == 2);
}

TEST_CASE("a source may be written in four ways", "[job_file]") {
  const std::string head =
      "name='a'\nmodel.preset='gpt2-tiny'\n"
      "train={steps=1,global_batch=1,seq_len=8,lr=1}\n";
  for (const std::string data :
       {"data.path = 't.txt'", "data.sources = ['t.txt']", "data.sources = [{path = 't.txt'}]",
        "[[data.sources]]\npath = 't.txt'"}) {
    INFO(data);
    const auto job = parsed(head + data);
    REQUIRE(job.data.sources.size() == 1);
    CHECK(job.data.sources[0].path == "t.txt");
  }
}

TEST_CASE("overrides change, add and may be plain words", "[job_file]") {
  const auto job = parsed(
      kSmallJob, {"train.steps=5", "name=other", "job.priority=3", "train.steps=6",
               "train.betas=[0.5, 0.6]", "data.path=my text.txt", "train.schedule=\"linear\""});
  CHECK(job.recipe.steps == 6);
  CHECK(job.name == "other");
  CHECK(job.priority == 3);
  CHECK(job.recipe.beta2 == 0.6);
  CHECK(job.data.sources[0].path == "my text.txt");
  CHECK(job.recipe.schedule == model::Schedule::linear);
}

TEST_CASE("canonical text parses back to an equal job", "[job_file]") {
  CHECK(parsed(to_toml(parsed(kSmallJob))) == parsed(kSmallJob));
  CHECK(parsed(to_toml(parsed(kWhole))) == parsed(kWhole));
  Rng rng(2024);
  for (int round = 0; round < 300; ++round) {
    const auto job = random_job(rng);
    const auto text = to_toml(job);
    INFO(text);
    REQUIRE(parsed(text) == job);
    REQUIRE(to_toml(parsed(text)) == text);
  }
}

TEST_CASE("the file that frenzy new writes is a job for every preset", "[job_file]") {
  for (const std::string preset :
       {"gpt2-tiny", "gpt2-mini", "gpt2-small", "gpt2-medium", "gpt2-large", "gpt2-xl"}) {
    INFO(preset);
    const auto text = job_template(preset);
    REQUIRE(text.ok());
    const auto job = parsed(*text);
    CHECK(job.name == preset);
    CHECK(job.model.layers == model::preset(preset)->layers);
    CHECK(job.model.vocabulary == 256);
    CHECK(job.recipe.sequence == job.model.positions);
  }
  const auto unknown = job_template("gpt2-tinny");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().code == Errc::not_found);
}

TEST_CASE("relative paths belong to the job file's folder", "[job_file]") {
  struct Row {
    std::string file, path, resolved;
  };
  for (const auto& row : {Row{"/home/a/job.toml", "d.txt", "/home/a/d.txt"},
                          Row{"job.toml", "d.txt", "d.txt"}, Row{"x/job.toml", "../d.txt", "d.txt"},
                          Row{"/a/b/job.toml", "/data/d.txt", "/data/d.txt"}}) {
    auto job = parsed(kSmallJob);
    job.data.sources[0].path = row.path;
    CHECK(resolved(job, row.file).data.sources[0].path == row.resolved);
    CHECK(resolved(job, row.file).data.tokenizer_path.empty());
  }
}
