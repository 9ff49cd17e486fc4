#include "frenzy/executor/host_runtime.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "frenzy/base/thread_tasks.hpp"
#include "frenzy/executor/collectives.hpp"
#include "frenzy/executor/pacer.hpp"

namespace frenzy::executor {

using program::Instruction;
using program::Opcode;
using program::Operand;

/// Doubles of the scalars buffer.
enum ScalarPlace : std::size_t { kTokens = 0, kLossSum = 1, kSquaredNorm = 2 };

class HostRuntime::Work {
 public:
  explicit Work(const HostRuntimeParts& parts)
      : parts_(parts.device), streams_(parts), program_(parts_.program->program),
        layout_(parameter_layout(program_.model)), pacer_(parts_.slowdown),
        counts_(program_.micro_batches.size(), 0) {}

  /// The stream that instruction `index` runs on.
  [[nodiscard]] Tasks& tasks(InstructionIndex index) {
    switch (program_.instructions[index.value].stream) {
      case program::Stream::collective:
      case program::Stream::point_to_point: return *streams_.collective;
      case program::Stream::copy_in:
      case program::Stream::copy_out: return *streams_.copy_in;
      case program::Stream::compute: break;
    }
    return *streams_.compute;
  }

  void run(InstructionIndex index, const StepContext& context, InstructionDone done) {
    const auto& instruction = program_.instructions[index.value];
    const auto fault = injected(instruction, context);
    if (!fault) return done(fault);
    switch (instruction.stream) {
      case program::Stream::compute: return compute(instruction, context, std::move(done));
      case program::Stream::collective: return collective(instruction, context, std::move(done));
      case program::Stream::copy_in: return done(load(instruction, context));
      default: return done(unknown(instruction));
    }
  }

  StepMeasure measure;

  [[nodiscard]] const Pacer& pacer() const { return pacer_; }

 private:
  static Status unknown(const Instruction& instruction) {
    return error(Errc::unsupported, "instruction {} on stream {} is not run by this backend",
                 name_of(instruction.opcode), name_of(instruction.stream));
  }

  [[nodiscard]] Status injected(const Instruction& instruction, const StepContext& context) const {
    const auto& faults = parts_.faults;
    if (faults.fail_at_step == 0 || faults.fail_at_step != context.step.value + 1 ||
        faults.fail_opcode != instruction.opcode) {
      return {};
    }
    const auto* wanted = largest_written(instruction);
    return error(Errc::exhausted, "injected allocation failure: {}, requested {}, available {}",
                 wanted ? model::name_of(wanted->part) : "workspace", wanted ? wanted->bytes : Bytes{}, Bytes{});
  }

  /// What an allocation for the instruction would have been for.
  [[nodiscard]] const program::Buffer* largest_written(const Instruction& instruction) const {
    const program::Buffer* out = nullptr;
    for (const auto& use : instruction.uses) {
      if (use.access == program::Access::read) continue;
      const auto& buffer = program_.buffers[use.buffer.value];
      if (out == nullptr || buffer.bytes > out->bytes) out = &buffer;
    }
    return out;
  }

  [[nodiscard]] MutableBytes bytes(const Instruction& instruction, Operand operand) const {
    const auto* use = instruction.find(operand);
    if (use == nullptr) return {};
    return bytes(use->buffer);
  }
  [[nodiscard]] MutableBytes bytes(BufferIndex buffer) const {
    return parts_.arena.subspan(parts_.program->offsets[buffer.value],
                                program_.buffers[buffer.value].bytes.value);
  }
  template <class T>
  [[nodiscard]] std::span<T> as(const Instruction& instruction, Operand operand) const {
    const auto raw = bytes(instruction, operand);
    return {reinterpret_cast<T*>(raw.data()), raw.size() / sizeof(T)};
  }

  // ---- compute stream, paced ----

  void compute(const Instruction& instruction, const StepContext& context, InstructionDone done) {
    const auto& clock = streams_.compute->clock();
    // CPU time is read outside the two moments: what reading costs belongs to the instruction.
    const auto before = cpu_time();
    pacer_.begin(clock.now());
    const auto status = arithmetic(instruction, context);
    const auto now = clock.now();
    const auto report = pacer_.end(now, streams_.cost ? streams_.cost(instruction) : cpu_time() - before);
    if (!pacer_.paced()) return done(status);
    streams_.compute->at(report, [status, done = std::move(done)] { done(status); });
  }

  /// Of this thread and the kernels' own.
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const {
    return thread_cpu_time() +
           std::chrono::duration_cast<std::chrono::nanoseconds>(parts_.kernels->helper_cpu_time());
  }

  Status arithmetic(const Instruction& instruction, const StepContext& context) {
    switch (instruction.opcode) {
      case Opcode::forward: parts_.kernels->forward(call(instruction)); return {};
      case Opcode::evaluate: parts_.kernels->evaluate(call(instruction)); return {};
      case Opcode::backward: {
        const auto block = call(instruction);
        parts_.kernels->backward_input(block);
        parts_.kernels->backward_weight(block);
        return {};
      }
      case Opcode::backward_input: parts_.kernels->backward_input(call(instruction)); return {};
      case Opcode::backward_weight: parts_.kernels->backward_weight(call(instruction)); return {};
      case Opcode::zero: zero(instruction); return {};
      case Opcode::norm: norm(instruction); return {};
      case Opcode::step: step(instruction, context); return {};
      case Opcode::commit: return commit(instruction);
      default: return unknown(instruction);
    }
  }

  [[nodiscard]] BlockCall call(const Instruction& i) const {
    BlockCall out;
    out.kind = program_.model.kind(i.block);
    out.shape = program_.micro_batches[i.micro_batch.value].shape;
    out.logit_rows = program_.logit_rows;
    out.weights = bytes(i, Operand::weights);
    out.tied_weights = bytes(i, Operand::tied_weights);
    out.tokens = as<const std::int32_t>(i, Operand::tokens);
    out.targets = as<const std::int32_t>(i, Operand::targets);
    out.input = bytes(i, Operand::input);
    out.output = bytes(i, Operand::output);
    out.kept = bytes(i, Operand::kept);
    out.logits = bytes(i, Operand::logits);
    out.output_gradient = bytes(i, Operand::output_gradient);
    out.input_gradient = bytes(i, Operand::input_gradient);
    out.deferred = bytes(i, Operand::deferred);
    out.workspace = bytes(i, Operand::workspace);
    out.weight_gradient = bytes(i, Operand::weight_gradient);
    out.tied_gradient = bytes(i, Operand::tied_gradient);
    const auto losses = as<double>(i, Operand::losses);
    if (!losses.empty()) out.loss = &losses[i.micro_batch.value];
    return out;
  }

  void zero(const Instruction& instruction) const {
    for (const auto& use : instruction.uses) {
      const auto target = bytes(use.buffer);
      std::memset(target.data(), 0, target.size());
    }
  }

  // Squared norm of what this device owns, so that the job's sum counts every element once.
  void norm(const Instruction& instruction) const {
    double sum = 0.0;
    std::uint32_t block = 0;
    for (const auto& use : instruction.uses) {
      if (use.operand != Operand::weight_gradient) continue;
      sum += parts_.kernels->squared_norm(
          part(bytes(use.buffer), program_.own_shard({block++})));
    }
    as<double>(instruction, Operand::scalars)[kSquaredNorm] = sum;
  }

  [[nodiscard]] MutableBytes part(MutableBytes data, model::ElementRange range) const {
    const auto width = size_of(program_.recipe.precision);
    return data.subspan(range.begin * width, range.size() * width);
  }

  [[nodiscard]] double gradient_scale(std::span<const double> scalars) const {
    const double tokens = scalars[kTokens] > 0 ? scalars[kTokens] : 1.0;
    const double length = std::sqrt(scalars[kSquaredNorm]) / tokens;
    // torch's clip_grad_norm_: min(1, clip / (norm + 1e-6)).
    const double clip = program_.recipe.clip;
    const double factor = clip > 0 ? std::min(1.0, clip / (length + 1e-6)) : 1.0;
    return factor / tokens;
  }

  /// One optimizer call a tensor (they differ in decay), clipped to what this device updates.
  void step(const Instruction& instruction, const StepContext& context) const {
    const auto& layout = layout_[instruction.block.value];
    const bool sharded = program_.sharding == model::Sharding::optimizer;
    const auto mine = sharded ? program_.own_shard(instruction.block)
                              : model::ElementRange{0, layout.elements};
    const auto weights = bytes(instruction, Operand::weights);
    const auto gradient = bytes(instruction, Operand::weight_gradient);
    const auto moment1 = bytes(instruction, Operand::moment1);
    const auto moment2 = bytes(instruction, Operand::moment2);
    const auto scale = gradient_scale(as<double>(instruction, Operand::scalars));
    for (const auto& tensor : layout.tensors) {
      const model::ElementRange range{std::max(mine.begin, tensor.offset),
                                      std::min(mine.end, tensor.offset + tensor.elements())};
      if (range.begin >= range.end) continue;
      const model::ElementRange local{range.begin - mine.begin, range.end - mine.begin};
      OptimizerCall call;
      call.recipe = &program_.recipe;
      call.rate = context.learning_rate;
      call.step = context.step.value + 1;
      call.gradient_scale = scale;
      call.weight_decay = tensor.decay == model::Decay::yes ? program_.recipe.weight_decay : 0.0;
      call.weights = part(weights, range);
      call.gradient = part(gradient, range);
      if (!moment1.empty()) call.moment1 = part(moment1, local);
      if (!moment2.empty()) call.moment2 = part(moment2, local);
      parts_.kernels->optimize(call);
    }
  }

  Status commit(const Instruction& instruction) {
    const auto scalars = as<const double>(instruction, Operand::scalars);
    measure.tokens = scalars[kTokens];
    measure.loss_sum = scalars[kLossSum];
    measure.gradient_norm = measure.tokens > 0 ? std::sqrt(scalars[kSquaredNorm]) / measure.tokens : 0;
    if (std::isfinite(measure.loss_sum) && std::isfinite(measure.gradient_norm)) return {};
    return error(Errc::corrupt, "loss sum is {} and gradient norm {}: training diverged",
                 measure.loss_sum, measure.gradient_norm);
  }

  // ---- copy-in stream ----

  Status load(const Instruction& instruction, const StepContext& context) {
    if (instruction.opcode != Opcode::load) return unknown(instruction);
    const auto& mb = program_.micro_batches[instruction.micro_batch.value];
    const auto tokens = as<std::int32_t>(instruction, Operand::tokens);
    const auto targets = as<std::int32_t>(instruction, Operand::targets);
    const auto status =
        parts_.samples->fill(context.step, mb.samples, mb.shape.sequence, tokens, targets);
    if (!status) return status;
    counts_[instruction.micro_batch.value] = static_cast<std::uint64_t>(
        std::count_if(targets.begin(), targets.end(), [](auto t) { return t >= 0; }));
    const auto vocabulary = static_cast<std::int32_t>(program_.model.vocabulary);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] >= 0 && tokens[i] < vocabulary && targets[i] < vocabulary) continue;
      return error(Errc::invalid_argument, "token {} or target {} is outside the vocabulary of {}",
                   tokens[i], targets[i], vocabulary);
    }
    return {};
  }

  // ---- collective stream ----

  void collective(const Instruction& instruction, const StepContext& context,
                  InstructionDone done) {
    if (instruction.opcode == Opcode::count) return count(instruction, context, std::move(done));
    const auto operand = instruction.find(Operand::weights) ? Operand::weights
                                                            : Operand::weight_gradient;
    CollectiveCall call;
    call.exchange = parts_.exchange;
    call.kernels = parts_.kernels;
    call.tasks = streams_.collective;
    call.rank = program_.rank;
    call.tag = {context.step.value, instruction.block.value,
                static_cast<std::uint8_t>(static_cast<unsigned>(instruction.opcode) * 4 +
                                          (operand == Operand::weights ? 0U : 1U))};
    call.ranges = program_.shards[instruction.block.value].ranges;
    call.element_bytes = size_of(program_.recipe.precision);
    call.data = bytes(instruction, operand);
    if (instruction.opcode == Opcode::reduce) {
      reduce_scatter(call, bytes(instruction, Operand::inbox), std::move(done));
    } else if (instruction.opcode == Opcode::gather) {
      all_gather(call, std::move(done));
    } else {
      done(unknown(instruction));
    }
  }

  void count(const Instruction& instruction, const StepContext& context, InstructionDone done) {
    const auto scalars = as<double>(instruction, Operand::scalars);
    double loss = 0.0, tokens = 0.0;
    for (const auto l : as<const double>(instruction, Operand::losses)) loss += l;
    for (const auto c : counts_) tokens += static_cast<double>(c);
    scalars[kTokens] = tokens;
    scalars[kLossSum] = loss;
    ScalarCall call;
    call.exchange = parts_.exchange;
    call.tasks = streams_.collective;
    call.rank = program_.rank;
    call.ranks = program_.ranks;
    call.tag = {context.step.value, 0, static_cast<std::uint8_t>(Opcode::count)};
    call.values = scalars;
    call.inbox = as<double>(instruction, Operand::inbox);
    all_reduce_scalars(call, std::move(done));
  }

  RuntimeParts parts_;
  HostRuntimeParts streams_;
  const program::Program& program_;
  std::vector<model::BlockLayout> layout_;
  Pacer pacer_;
  std::vector<std::uint64_t> counts_;  // tokens with loss, one a micro-batch
};

HostRuntime::HostRuntime(const HostRuntimeParts& parts) : work_(std::make_unique<Work>(parts)) {}
HostRuntime::~HostRuntime() = default;

void HostRuntime::start(InstructionIndex index, const StepContext& context, InstructionDone done) {
  work_->tasks(index).post([work = work_.get(), index, context, done = std::move(done)]() mutable {
    work->run(index, context, std::move(done));
  });
}

const StepMeasure& HostRuntime::measure() const { return work_->measure; }
Occupancy HostRuntime::occupancy() const {
  const auto& pacer = work_->pacer();
  return {.busy = pacer.busy(), .instructions = pacer.instructions(), .late = pacer.late()};
}

namespace {

class ThreadedRuntime final : public DeviceRuntime {
 public:
  explicit ThreadedRuntime(const RuntimeParts& parts)
      : compute_(*parts.clock), collective_(*parts.clock), copy_in_(*parts.clock),
        runtime_({.device = parts, .compute = &compute_, .collective = &collective_,
                  .copy_in = &copy_in_}) {}
  // Every stream has ended before one goes: what runs on one posts to the others.
  ~ThreadedRuntime() override {
    for (auto* stream : {&compute_, &collective_, &copy_in_}) stream->stop();
  }
  ThreadedRuntime(const ThreadedRuntime&) = delete;
  ThreadedRuntime& operator=(const ThreadedRuntime&) = delete;
  ThreadedRuntime(ThreadedRuntime&&) = delete;
  ThreadedRuntime& operator=(ThreadedRuntime&&) = delete;

  void start(InstructionIndex index, const StepContext& context, InstructionDone done) override {
    runtime_.start(index, context, std::move(done));
  }
  [[nodiscard]] const StepMeasure& measure() const override { return runtime_.measure(); }
  [[nodiscard]] Occupancy occupancy() const override { return runtime_.occupancy(); }

 private:
  ThreadTasks compute_, collective_, copy_in_;
  HostRuntime runtime_;
};

}  // namespace

std::unique_ptr<DeviceRuntime> make_threaded_runtime(const RuntimeParts& parts) {
  return std::make_unique<ThreadedRuntime>(parts);
}

}  // namespace frenzy::executor
