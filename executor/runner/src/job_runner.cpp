#include "frenzy/executor/job_runner.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace frenzy::executor {
namespace {

struct Local {
  Rank rank;
  std::string name;
  std::unique_ptr<Exchange> exchange;
  std::unique_ptr<DeviceRun> run;
};

class LocalJobRunner final : public JobRunner {
 public:
  LocalJobRunner(std::vector<Local> locals, JobRunnerEvents& events, Step last, std::uint64_t copy_every)
      : locals_(std::move(locals)), events_(events), last_(last), copy_every_(copy_every) {
    state_.lock()->at.resize(locals_.size());
  }
  // No step may start while the devices go.
  ~LocalJobRunner() override {
    state_.lock()->limit = {0};
    for (auto& local : locals_) local.run.reset();
  }
  LocalJobRunner(const LocalJobRunner&) = delete;
  LocalJobRunner& operator=(const LocalJobRunner&) = delete;
  LocalJobRunner(LocalJobRunner&&) = delete;
  LocalJobRunner& operator=(LocalJobRunner&&) = delete;

  void initialise() override {
    for (auto& local : locals_) local.run->state().initialise();
  }
  [[nodiscard]] std::vector<State*> states() override {
    std::vector<State*> out;
    for (auto& local : locals_) out.push_back(&local.run->state());
    return out;
  }

  void start(Step from) override {
    {
      auto state = state_.lock();
      for (auto& at : state->at) at = {from, from, false};
    }
    run_to(last_);
  }

  Step hold() override {
    auto state = state_.lock();
    Step most{};
    for (const auto& at : state->at) most = std::max(most, at.started);
    state->limit = most;
    return most;
  }

  void run_to(Step step) override {
    {
      auto state = state_.lock();
      FRENZY_CHECK(step >= most_started(*state));
      state->limit = step;
      state->reached = false;
    }
    for (std::size_t i = 0; i < locals_.size(); ++i) step_on(i);
    tell_reached();
  }

  void saved() override { state_.lock()->saving = false; }

  [[nodiscard]] std::uint64_t progress() override {
    std::uint64_t out = 0;
    {
      auto state = state_.lock();
      for (const auto& at : state->at) out += at.done.value << 20;
    }
    for (const auto& local : locals_) out += local.run->progress();
    return out;
  }

  [[nodiscard]] std::optional<Doing> doing() override {
    std::vector<Position> at;
    {
      auto state = state_.lock();
      at = state->at;
    }
    std::optional<Doing> out;
    std::pair<Step, std::size_t> least;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto oldest = locals_[i].run->oldest();
      const std::pair where{at[i].done, locals_[i].run->progress()};
      if (!oldest || (out && where >= least)) continue;
      least = where;
      out = describe(i, *oldest, at[i].done);
    }
    return out;
  }

 private:
  [[nodiscard]] Doing describe(std::size_t i, InstructionIndex index, Step done) const {
    const auto& program = locals_[i].run->program().program;
    const auto& instruction = program.instructions[index.value];
    return {index, instruction.stream == program::Stream::collective,
            format("{}: {} of {} (instruction {} of step {})", locals_[i].name, name_of(instruction.opcode),
                   block_name(program.model, instruction.block), index, done.value + 1)};
  }

  struct Position {
    Step done, started;
    bool running = false;
  };
  struct Shared {
    std::vector<Position> at;
    Step limit;
    bool reached = true;
    std::optional<Error> failed;
    std::map<Step, RunnerStep> rows;
    Step considered;      ///< the newest step of which is decided whether it is copied
    bool saving = false;  ///< a copy is being made or written
    std::optional<std::pair<Step, std::vector<StateCopy>>> copies;  ///< of some local devices
  };

  static Step most_started(const Shared& state) {
    Step most{};
    for (const auto& at : state.at) most = std::max(most, at.started);
    return most;
  }

  void step_on(std::size_t i) {
    Step from;
    {
      auto state = state_.lock();
      auto& at = state->at[i];
      if (state->failed || at.running || at.done >= state->limit) return;
      at.running = true;
      at.started = {at.done.value + 1};
      from = at.done;
    }
    locals_[i].run->run_step(from, [this, i](Result<StepResult> result) {
      if (result) {
        finished(i, *result);
      } else {
        fail(i, result.error());
      }
    });
  }

  /// Locals are at most a step apart: the first to reach a step decides for all.
  [[nodiscard]] bool copies_wanted(Step step) {
    if (copy_every_ == 0 || step.value % copy_every_ != 0 || step >= last_) return false;
    auto state = state_.lock();
    if (state->considered < step) {
      state->considered = step;
      if (!state->saving) {
        state->saving = true;
        state->copies.emplace(step, std::vector<StateCopy>{});
      }
    }
    return state->copies && state->copies->first == step;
  }

  /// Before the device may start its next step.
  void copy_if_due(std::size_t i, Step step) {
    if (!copies_wanted(step)) return;
    auto copy = copy_owned(locals_[i].run->state());
    std::vector<StateCopy> whole;
    {
      auto state = state_.lock();
      auto& copies = state->copies->second;
      copies.push_back(std::move(copy));
      if (copies.size() < locals_.size()) return;
      whole = std::move(copies);
      state->copies.reset();
    }
    const auto order = reports_.lock();
    events_.copied(step, std::move(whole));
  }

  void finished(std::size_t i, const StepResult& result) {
    copy_if_due(i, result.step);
    std::optional<RunnerStep> row;
    {
      auto state = state_.lock();
      state->at[i].done = result.step;
      state->at[i].running = false;
      row = add_row(*state, i, result);
    }
    if (row) {
      const auto order = reports_.lock();
      events_.step_done(*row);
    }
    step_on(i);
    tell_reached();
  }

  /// The row of a step, once every local device has added to it.
  std::optional<RunnerStep> add_row(Shared& state, std::size_t i, const StepResult& result) const {
    auto& row = state.rows[result.step];
    row.step = result.step;
    row.loss_sum = result.measure.loss_sum;
    row.tokens = result.measure.tokens;
    row.gradient_norm = result.measure.gradient_norm;
    row.learning_rate = result.learning_rate;
    row.devices.push_back({locals_[i].rank, result.elapsed, result.busy, result.late_instructions,
                           result.instructions});
    if (row.devices.size() < locals_.size()) return std::nullopt;
    auto whole = std::move(row);
    state.rows.erase(result.step);
    std::ranges::sort(whole.devices, {}, [](const auto& d) { return d.rank; });
    return whole;
  }

  void tell_reached() {
    Step step;
    {
      auto state = state_.lock();
      if (state->reached || state->failed) return;
      for (const auto& at : state->at) {
        if (at.running || at.done < state->limit) return;
      }
      state->reached = true;
      step = state->limit;
    }
    const auto order = reports_.lock();
    events_.reached(step);
  }

  void fail(std::size_t i, const Error& why) {
    {
      auto state = state_.lock();
      state->at[i].running = false;
      if (state->failed) return;
      state->failed = why;
    }
    const auto order = reports_.lock();
    events_.failed(at(format("device {}", locals_[i].name), why));
  }

  std::vector<Local> locals_;
  JobRunnerEvents& events_;
  Step last_;
  std::uint64_t copy_every_;
  Guarded<Shared> state_;
  Guarded<int> reports_;  // one event at a time
};

Result<Local> make_local(RunnerDevice device, const JobRunnerParts& parts) {
  const auto& program = device.program.program;
  const auto place = format("device {}", device.name);
  auto kernels = parts.make_kernels(program.model, program.recipe.precision, device.threads);
  if (!kernels) return at(place, kernels.error());
  Local out{program.rank, device.name, parts.exchange_of(program.rank), nullptr};
  DeviceRunOptions options;
  options.memory_limit = device.memory_limit;
  options.slowdown = device.slowdown;
  options.faults = device.faults;
  options.make_runtime = parts.make_runtime;
  options.poison = parts.poison;
  auto run = DeviceRun::create(std::move(device.program), std::move(*kernels), out.exchange.get(),
                               *parts.samples, *parts.clock, options);
  if (!run) return at(place, run.error());
  out.run = std::move(*run);
  return out;
}

}  // namespace

Result<std::unique_ptr<JobRunner>> JobRunner::create(std::vector<RunnerDevice> devices,
                                                     const JobRunnerParts& parts) {
  FRENZY_CHECK(!devices.empty());
  const Step last{devices.front().program.program.recipe.steps};
  std::vector<Local> locals;
  for (auto& device : devices) {
    auto local = make_local(std::move(device), parts);
    if (!local) return local.error();
    locals.push_back(std::move(*local));
  }
  return std::unique_ptr<JobRunner>(
      std::make_unique<LocalJobRunner>(std::move(locals), *parts.events, last, parts.copy_every));
}

}  // namespace frenzy::executor
