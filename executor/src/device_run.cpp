#include "frenzy/executor/device_run.hpp"

#include <future>

#include "frenzy/base/thread_tasks.hpp"

namespace frenzy::executor {
namespace {

class HostDeviceRun final : public DeviceRun {
 public:
  HostDeviceRun(program::PackedProgram program, std::unique_ptr<Arena> arena,
                std::unique_ptr<Kernels> kernels, Exchange* exchange, Samples& samples,
                const Clock& clock, const DeviceRunOptions& options)
      : program_(std::move(program)), arena_(std::move(arena)), kernels_(std::move(kernels)),
        clock_(clock), state_(program_, arena_->bytes()),
        streams_(std::make_unique<Streams>(clock)),
        runtime_({.program = &program_, .arena = arena_->bytes(), .kernels = kernels_.get(),
                  .exchange = exchange, .samples = &samples, .compute = &streams_->compute,
                  .collective = &streams_->collective, .copy_in = &streams_->copy_in, .slowdown = options.slowdown,
                  .faults = options.faults}),
        interpreter_(program_, runtime_, arena_->bytes(), options.poison) {}

  // The streams end before what they run goes.
  ~HostDeviceRun() override { streams_.reset(); }
  HostDeviceRun(const HostDeviceRun&) = delete;
  HostDeviceRun& operator=(const HostDeviceRun&) = delete;
  HostDeviceRun(HostDeviceRun&&) = delete;
  HostDeviceRun& operator=(HostDeviceRun&&) = delete;

  [[nodiscard]] State& state() override { return state_; }
  [[nodiscard]] const program::PackedProgram& program() const override { return program_; }
  [[nodiscard]] std::size_t progress() override { return interpreter_.progress(); }
  [[nodiscard]] std::optional<InstructionIndex> oldest() override { return interpreter_.oldest(); }

  void run_step(Step step, std::function<void(Result<StepResult>)> done) override {
    const StepContext context{step, learning_rate(program_.program.recipe, step.value)};
    const auto begin = clock_.now();
    const auto busy = runtime_.pacer().busy();
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
  struct Streams {
    explicit Streams(const Clock& clock) : compute(clock), collective(clock), copy_in(clock) {}
    ThreadTasks compute, collective, copy_in;
  };

  [[nodiscard]] StepResult result(const StepContext& context, TimePoint begin,
                                  std::chrono::nanoseconds busy) const {
    StepResult out;
    out.step = {context.step.value + 1};
    out.measure = runtime_.measure();
    out.elapsed = clock_.now() - begin;
    out.busy = runtime_.pacer().busy() - busy;
    out.learning_rate = context.learning_rate;
    out.late_instructions = runtime_.pacer().late();
    out.instructions = runtime_.pacer().instructions();
    return out;
  }

  program::PackedProgram program_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Kernels> kernels_;
  const Clock& clock_;
  State state_;
  std::unique_ptr<Streams> streams_;
  HostRuntime runtime_;
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
      std::make_unique<HostDeviceRun>(std::move(program), std::move(*arena), std::move(kernels),
                                      exchange, samples, clock, options));
}

}  // namespace frenzy::executor
