#include "frenzy/executor/device_run.hpp"

#include <future>

#include "frenzy/executor/host_runtime.hpp"

namespace frenzy::executor {
namespace {

class ProgramRun final : public DeviceRun {
 public:
  ProgramRun(program::PackedProgram program, std::unique_ptr<Arena> arena,
             std::unique_ptr<Kernels> kernels, Exchange* exchange, Samples& samples,
             const Clock& clock, const DeviceRunOptions& options)
      : program_(std::move(program)), arena_(std::move(arena)), kernels_(std::move(kernels)),
        clock_(clock), state_(program_, arena_->bytes()),
        runtime_(options.make_runtime({.program = &program_, .arena = arena_->bytes(),
                                       .kernels = kernels_.get(), .exchange = exchange,
                                       .samples = &samples, .clock = &clock,
                                       .slowdown = options.slowdown, .faults = options.faults})),
        interpreter_(program_, *runtime_, arena_->bytes(), options.poison) {}

  // Nothing runs any more when the interpreter goes.
  ~ProgramRun() override { runtime_.reset(); }
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;
  ProgramRun(ProgramRun&&) = delete;
  ProgramRun& operator=(ProgramRun&&) = delete;

  [[nodiscard]] State& state() override { return state_; }
  [[nodiscard]] const program::PackedProgram& program() const override { return program_; }
  [[nodiscard]] std::size_t progress() override { return interpreter_.progress(); }
  [[nodiscard]] std::optional<InstructionIndex> oldest() override { return interpreter_.oldest(); }

  void run_step(Step step, std::function<void(Result<StepResult>)> done) override {
    const StepContext context{step, learning_rate(program_.program.recipe, step.value)};
    const auto begin = clock_.now();
    const auto busy = runtime_->occupancy().busy;
    interpreter_.run_step(context, [this, context, begin, busy, done = std::move(done)](
                                       const Status& status) {
      if (!status) return done(at(format("step {}", context.step.value + 1), status.error()));
      done(result(context, begin, busy));
    });
  }

  [[nodiscard]] Result<StepResult> run_step(Step step) override {
    std::promise<Result<StepResult>> promise;
    run_step(step, [&](Result<StepResult> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }

 private:
  [[nodiscard]] StepResult result(const StepContext& context, TimePoint begin,
                                  std::chrono::nanoseconds busy) const {
    StepResult out;
    out.step = {context.step.value + 1};
    const auto occupancy = runtime_->occupancy();
    out.measure = runtime_->measure();
    out.elapsed = clock_.now() - begin;
    out.busy = occupancy.busy - busy;
    out.learning_rate = context.learning_rate;
    out.late_instructions = occupancy.late;
    out.instructions = occupancy.instructions;
    return out;
  }

  program::PackedProgram program_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Kernels> kernels_;
  const Clock& clock_;
  State state_;
  std::unique_ptr<DeviceRuntime> runtime_;
  Interpreter interpreter_;
};

}  // namespace

Result<std::unique_ptr<DeviceRun>> DeviceRun::create(program::PackedProgram program,
                                                     std::unique_ptr<Kernels> kernels,
                                                     Exchange* exchange, Samples& samples,
                                                     const Clock& clock,
                                                     const DeviceRunOptions& options) {
  auto arena = Arena::create(program.arena, options.memory_limit);
  if (!arena) return arena.error();
  return std::unique_ptr<DeviceRun>(
      std::make_unique<ProgramRun>(std::move(program), std::move(*arena), std::move(kernels),
                                   exchange, samples, clock, options));
}

}  // namespace frenzy::executor
