#include "frenzy/executor/job_runner.hpp"

#include <catch2/catch.hpp>
#include <future>

#include "frenzy/base/memory_files.hpp"
#include "frenzy/executor/cpu/reference/reference_kernels.hpp"
#include "frenzy/executor/generate.hpp"
#include "frenzy/executor/saving.hpp"
#include "frenzy/memory_profiler/pack.hpp"
#include "frenzy/planner/compile.hpp"
#include "local_training.hpp"
#include "small_plans.hpp"
#include "test_hashing.hpp"

using namespace frenzy;
using namespace frenzy::testing;
using namespace frenzy::executor;
using cpu::reference::ReferenceKernels;

namespace {

/// Collects rows and lets a test wait for `reached` or `failed`.
class Watcher final : public JobRunnerEvents {
 public:
  void step_done(const RunnerStep& row) override {
    auto rows = rows_.lock();
    rows->push_back(row);
    wake_.notify_all();
  }
  void reached(Step step) override { end({step, std::nullopt}); }
  void copied(Step step, std::vector<StateCopy> made) override { copies_.lock()->emplace_back(step, std::move(made)); }
  void failed(const Error& why) override { end({{}, why}); }

  struct End {
    Step step;
    std::optional<Error> error;
  };
  End wait() {
    auto ends = ends_.lock();
    ends.wait(wake_, [](const auto& list) { return !list.empty(); });
    const auto out = ends->front();
    ends->erase(ends->begin());
    return out;
  }
  void wait_for_rows(std::size_t count) {
    auto rows = rows_.lock();
    rows.wait(wake_, [&](const auto& list) { return list.size() >= count; });
  }
  std::vector<RunnerStep> rows() { return *rows_.lock(); }
  std::vector<std::pair<Step, std::vector<StateCopy>>> copies() { return *copies_.lock(); }

 private:
  void end(End what) {
    ends_.lock()->push_back(std::move(what));
    wake_.notify_all();
  }
  Guarded<std::vector<RunnerStep>> rows_;
  Guarded<std::vector<End>> ends_;
  Guarded<std::vector<std::pair<Step, std::vector<StateCopy>>>> copies_;
  std::condition_variable wake_;
};

/// A job whose ranks are split over several runners of this process.
class Fleet {
 public:
  Fleet(const model::Plan& plan, std::uint32_t processes, Faults faults = {}, std::uint64_t copy_every = 0)
      : plan_(plan), hub_(ranks(plan)), samples_(plan.model.vocabulary) {
    for (std::uint32_t i = 0; i < processes; ++i) {
      watchers.push_back(std::make_unique<Watcher>());
      std::vector<RunnerDevice> devices;
      for (std::uint32_t r = i; r < ranks(plan); r += processes) {
        RunnerDevice device;
        device.program = memory_profiler::pack(*planner::compile(plan, {r}, {}, {}));
        device.name = format("cpu{}", r);
        if (r == 0) device.faults = faults;
        devices.push_back(std::move(device));
      }
      JobRunnerParts parts;
      parts.clock = &clock_;
      parts.samples = &samples_;
      parts.make_kernels = [](const model::ModelSpec& spec, model::Scalar, std::uint32_t) {
        return Result<std::unique_ptr<Kernels>>(std::make_unique<ReferenceKernels<double>>(spec));
      };
      parts.exchange_of = [this](Rank rank) { return hub_.join(rank); };
      parts.events = watchers.back().get();
      parts.copy_every = copy_every;
      runners.push_back(*JobRunner::create(std::move(devices), parts));
      runners.back()->initialise();
    }
  }
  ~Fleet() {
    hub_.abort({Errc::cancelled, "the test is over"});
    runners.clear();
  }
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;
  Fleet(Fleet&&) = delete;
  Fleet& operator=(Fleet&&) = delete;

  void start(Step from) {
    for (auto& runner : runners) runner->start(from);
  }
  /// Stops everything at one step.
  Step stop() {
    Step most{};
    for (auto& runner : runners) most = std::max(most, runner->hold());
    for (auto& runner : runners) runner->run_to(most);
    return most;
  }
  checkpoint::Manifest save(MemoryFiles& files, Step step) {
    checkpoint::Manifest out;
    out.step = step;
    out.model = plan_.model;
    out.recipe = checkpoint::recipe_fingerprint(plan_.recipe);
    for (auto& runner : runners) {
      for (const auto* state : runner->states()) {
        const auto pieces = *save_state(*state, files, hashing, "save");
        out.pieces.insert(out.pieces.end(), pieces.begin(), pieces.end());
      }
    }
    REQUIRE(checkpoint::write_manifest(files, hashing, "save", out).ok());
    return out;
  }
  void load(MemoryFiles& files, Step step) {
    auto reader = *checkpoint::CheckpointReader::open(files, hashing, "save", step);
    for (auto& runner : runners) {
      for (auto* state : runner->states()) REQUIRE(load_state(*state, reader).ok());
    }
  }

  std::vector<std::unique_ptr<Watcher>> watchers;
  std::vector<std::unique_ptr<JobRunner>> runners;
  test::TestHashing hashing;

 private:
  static std::uint32_t ranks(const model::Plan& plan) {
    return static_cast<std::uint32_t>(plan.pipelines[0].stages[0].group.size());
  }
  model::Plan plan_;
  SystemClock clock_;
  LocalExchange hub_;
  CountedSamples samples_;
};

model::Plan plan_of(std::uint64_t seed, std::uint32_t ranks, std::uint64_t steps) {
  Rng rng(seed);
  auto recipe = small_recipe(6);
  recipe.steps = steps;
  return random_plan(rng, small_model(), recipe, ranks, model::Sharding::optimizer);
}

}  // namespace

TEST_CASE("runners of one job report every step once and stand at the last", "[executor]") {
  Fleet fleet(plan_of(1, 4, 6), 2);
  fleet.start({0});
  for (auto& watcher : fleet.watchers) {
    CHECK(watcher->wait().step == Step{6});
    const auto rows = watcher->rows();
    REQUIRE(rows.size() == 6);
    for (std::uint64_t i = 0; i < 6; ++i) {
      CHECK(rows[i].step == Step{i + 1});
      CHECK(rows[i].devices.size() == 2);
      CHECK(rows[i].loss_sum == fleet.watchers[0]->rows()[i].loss_sum);
    }
  }
}

TEST_CASE("held runners stop at one step, and the saved state goes on under another plan",
          "[executor]") {
  const auto plan = plan_of(2, 3, 40);
  std::vector<double> undisturbed;
  {
    Fleet whole(plan, 1);
    whole.start({0});
    REQUIRE_FALSE(whole.watchers[0]->wait().error.has_value());
    for (const auto& row : whole.watchers[0]->rows()) undisturbed.push_back(row.loss_sum);
  }
  MemoryFiles files;
  Step stopped;
  {
    Fleet first(plan, 3);
    first.start({0});
    first.watchers[1]->wait_for_rows(5);
    stopped = first.stop();
    for (auto& watcher : first.watchers) REQUIRE(watcher->wait().step == stopped);
    (void)first.save(files, stopped);
  }
  REQUIRE(stopped.value >= 5);
  auto other = plan_of(9, 5, 40);
  Fleet second(other, 2);
  second.load(files, stopped);
  second.start(stopped);
  for (auto& watcher : second.watchers) REQUIRE(watcher->wait().step == Step{40});
  const auto rows = second.watchers[0]->rows();
  REQUIRE(rows.size() == 40 - stopped.value);
  for (const auto& row : rows) {
    CHECK(row.loss_sum == Approx(undisturbed[row.step.value - 1]).epsilon(1e-9));
  }
}

TEST_CASE("copies on the way are of one step each, and are what a held runner would save", "[executor]") {
  auto plan = plan_of(6, 4, 9);
  plan.recipe.schedule = model::Schedule::constant;
  Fleet fleet(plan, 2, {}, 3);
  fleet.start({0});
  for (auto& watcher : fleet.watchers) {
    REQUIRE(watcher->wait().step == Step{9});
    const auto copies = watcher->copies();
    REQUIRE(copies.size() == 1);  // no saved(): later ones are left out, the last step is saved otherwise
    CHECK(copies[0].first == Step{3});
    CHECK(copies[0].second.size() == 2);
  }
  plan.recipe.steps = 3;
  Fleet held(plan, 1);
  held.start({0});
  REQUIRE(held.watchers[0]->wait().step == Step{3});
  MemoryFiles files;
  std::vector<ContentDigest> expected, copied;
  for (const auto& piece : held.save(files, {3}).pieces) expected.push_back(piece.digest);
  for (auto& watcher : fleet.watchers) {
    for (const auto& piece : save_copies(watcher->copies()[0].second, files, fleet.hashing, "copies").value()) copied.push_back(piece.digest);
  }
  std::ranges::sort(expected);
  std::ranges::sort(copied);
  CHECK(copied == expected);
}

TEST_CASE("copies come again after saved()", "[executor]") {
  Fleet fleet(plan_of(7, 2, 3000), 1, {}, 2);
  fleet.start({0});
  fleet.watchers[0]->wait_for_rows(8);
  CHECK(fleet.watchers[0]->copies().size() == 1);
  fleet.runners[0]->saved();
  const auto rows = fleet.watchers[0]->rows().size();
  fleet.watchers[0]->wait_for_rows(rows + 8);
  CHECK(fleet.watchers[0]->copies().size() == 2);
  (void)fleet.stop();
  (void)fleet.watchers[0]->wait();
}

TEST_CASE("a device that fails is named once and nothing runs on", "[executor]") {
  Fleet fleet(plan_of(3, 2, 10), 1, {.fail_at_step = 4, .fail_opcode = program::Opcode::backward});
  fleet.start({0});
  const auto end = fleet.watchers[0]->wait();
  REQUIRE(end.error.has_value());
  CHECK(end.error->code == Errc::exhausted);
  CHECK_THAT(end.error->what, Catch::StartsWith("device cpu0: step 4: backward of "));
  // The other device may still be finishing step 3 when the first fails in step 4.
  fleet.watchers[0]->wait_for_rows(3);
  CHECK(fleet.watchers[0]->rows().back().step == Step{3});
}

TEST_CASE("an arena beyond the device's memory is refused by the device's name", "[executor]") {
  const auto plan = plan_of(4, 1, 1);
  RunnerDevice device;
  device.program = memory_profiler::pack(*planner::compile(plan, {0}, {}, {}));
  device.name = "cpu7";
  device.memory_limit = 1_KiB;
  LocalExchange hub(1);
  const SystemClock clock;
  CountedSamples samples(plan.model.vocabulary);
  Watcher watcher;
  JobRunnerParts parts;
  parts.clock = &clock;
  parts.samples = &samples;
  parts.events = &watcher;
  parts.make_kernels = [](const model::ModelSpec& spec, model::Scalar, std::uint32_t) {
    return Result<std::unique_ptr<Kernels>>(std::make_unique<ReferenceKernels<double>>(spec));
  };
  parts.exchange_of = [&](Rank rank) { return hub.join(rank); };
  std::vector<RunnerDevice> devices;
  devices.push_back(std::move(device));
  const auto runner = JobRunner::create(std::move(devices), parts);
  REQUIRE_FALSE(runner.ok());
  CHECK(runner.error().code == Errc::does_not_fit);
  CHECK_THAT(runner.error().what, Catch::Contains("cpu7") && Catch::Contains("1.00 KiB"));
}

TEST_CASE("generation is a function of checkpoint, prompt and seed", "[executor]") {
  Fleet fleet(plan_of(5, 2, 3), 1);
  fleet.start({0});
  REQUIRE(fleet.watchers[0]->wait().step == Step{3});
  MemoryFiles files;
  (void)fleet.save(files, {3});
  const auto text = [&](std::uint64_t seed, std::vector<std::int32_t> prompt) {
    auto reader = *checkpoint::CheckpointReader::open(files, fleet.hashing, "save", {3});
    ReferenceKernels<double> kernels(reader.manifest().model);
    std::vector<std::int32_t> out;
    const auto status = generate(reader, kernels, std::move(prompt),
                                 {.tokens = 20, .temperature = 1.0, .seed = seed},
                                 [&](std::int32_t token) { out.push_back(token); });
    REQUIRE(status.ok());
    return out;
  };
  CHECK(text(1, {3, 4}).size() == 20);
  CHECK(text(1, {3, 4}) == text(1, {3, 4}));
  CHECK(text(1, {3, 4}) != text(2, {3, 4}));
  auto reader = *checkpoint::CheckpointReader::open(files, fleet.hashing, "save", {3});
  ReferenceKernels<double> kernels(reader.manifest().model);
  CHECK_FALSE(generate(reader, kernels, {}, {}, [](std::int32_t) {}).ok());
  CHECK_FALSE(generate(reader, kernels, {29}, {}, [](std::int32_t) {}).ok());
}
